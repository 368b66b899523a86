// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The first loop ends with its barrier.

#include <stdio.h>

int a[64], b[64];

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < 64; i++)
            a[i] = i;
        #pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < 64; i++)
            b[i] = a[i];
    }
    printf("%d\n", b[63]);
}
