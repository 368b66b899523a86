// expect: race 16 19
// flags: -fopenmp
// threads: 2,4,16
// Which thread gets a dynamic iteration differs between the two loops, and nothing orders the loops.

#include <stdio.h>

int a[64], b[64];

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for schedule(dynamic, 4) nowait
        for (int i = 0; i < 64; i++)
            a[i] = i;
        #pragma omp for schedule(dynamic, 4)
        for (int i = 0; i < 64; i++)
            b[i] = a[i];
    }
    puts("done");
}
