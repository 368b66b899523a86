// expect: clean
// flags: -fopenmp
// threads: 1,2,4
// What changes lies beyond what the functions work on.

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
        name[9] = L'x';
        #pragma omp taskwait
        #pragma omp task shared(copy, joined)
        wcscat(joined, copy);
        joined[12] = L'y';
        #pragma omp taskwait
        #pragma omp task shared(block)
        wmemset(block, L'z', 4);
        block[4] = L'w';
        #pragma omp taskwait
        #pragma omp task shared(name, len)
        len = wcslen(name);
        name[9] = L'v';
    }
    printf("%d\n", len > 0 && wcsncmp(joined, L"and", 3) == 0);
}
