// expect: clean
// flags: -fopenmp
// threads: 2,4
// Two static loops of the same length give each thread the same iterations, so it reads what it wrote.

#include <stdio.h>

int a[64], b[64];

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < 64; i++)
            a[i] = i;
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < 64; i++)
            b[i] = a[i];
    }
    printf("%d\n", b[63]);
}
