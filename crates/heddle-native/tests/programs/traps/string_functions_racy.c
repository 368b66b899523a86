// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// One task appends where the other compares.

#include <stdio.h>
#include <string.h>

char first[64] = "abc", second[64] = "abcx";
int order;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        strcat(first, "d");
        #pragma omp task
        order = strcmp(first, second) < 0;
    }
    puts("done");
}
