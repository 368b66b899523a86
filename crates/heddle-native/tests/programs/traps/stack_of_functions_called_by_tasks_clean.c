// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each call has its own work array on the stack of its thread.

#include <stdio.h>

int out[16];

__attribute__((noinline)) static int work(int seed)
{
    int array[24];
    for (int k = 0; k < 24; k++)
        array[k] = seed * k;
    return array[23];
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        out[i] = work(i);
    }
    printf("%d\n", out[15]);
}
