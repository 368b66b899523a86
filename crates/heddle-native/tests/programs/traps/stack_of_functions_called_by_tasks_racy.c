// expect: race 14 14
// flags: -fopenmp
// threads: 1,2,4,16
// The work array is a global, one for all calls.

#include <stdio.h>

int out[16];
int array[24];

__attribute__((noinline)) static int work(int seed)
{
    for (int k = 0; k < 24; k++)
        array[k] = seed * k;
    return seed;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        out[i] = work(i);
    }
    puts("done");
}
