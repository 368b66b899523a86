// expect: race 14 14
// flags: -fopenmp
// threads: 2,4
// for simd distributes the iterations, and neighbours overlap.

#include <stdio.h>

int a[65], b[65];

int main(void)
{
    #pragma omp parallel for simd schedule(static)
    for (int i = 0; i < 64; i++)
        a[i] = a[i + 1] + 1;
    puts("done");
}
