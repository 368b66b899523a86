// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// A taskwait stands between them.

#include <stdio.h>

int a[32];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop nogroup num_tasks(4)
        for (int i = 0; i < 32; i++)
            a[i] = i;
        #pragma omp taskwait
        #pragma omp taskloop num_tasks(4)
        for (int i = 0; i < 32; i++)
            a[31 - i] = i;
    }
    printf("%d\n", a[0]);
}
