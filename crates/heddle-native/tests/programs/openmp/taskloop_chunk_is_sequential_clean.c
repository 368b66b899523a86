// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// If all iterations are one task they are sequential.

#include <stdio.h>

int a[17];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop num_tasks(1)
        for (int i = 0; i < 16; i++)
            a[i] = a[i + 1] + i;
    }
    printf("%d\n", a[15]);
}
