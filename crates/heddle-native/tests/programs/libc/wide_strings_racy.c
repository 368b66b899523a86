// expect: race 18 19 22 23 26 27 30 31
// flags: -fopenmp
// threads: 1,2,4
// Each function works on characters that change meanwhile.

#include <stdio.h>
#include <wchar.h>

int main(void)
{
    wchar_t name[32] = L"warp", copy[32] = L"", joined[32] = L"and ";
    wchar_t block[8] = {0};
    size_t len = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task shared(name, copy)
        wcscpy(copy, name);
        name[2] = L'x';
        #pragma omp taskwait
        #pragma omp task shared(copy, joined)
        wcscat(joined, copy);
        joined[8] = L'y';
        #pragma omp taskwait
        #pragma omp task shared(block)
        wmemset(block, L'z', 4);
        block[3] = L'w';
        #pragma omp taskwait
        #pragma omp task shared(name, len)
        len = wcslen(name);
        name[0] = L'v';
    }
    printf("%d\n", len > 0 && wcsncmp(joined, L"and", 3) == 0);
}
