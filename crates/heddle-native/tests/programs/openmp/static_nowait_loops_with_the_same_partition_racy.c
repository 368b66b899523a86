// expect: race 16 19
// flags: -fopenmp
// threads: 2,4
// The second loop reads elements of the other threads, and nowait removed the barrier.

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
            b[i] = a[63 - i];
    }
    puts("done");
}
