// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Tasks that meet in a thread-local ran on one thread.

#include <stdio.h>

__thread int scratch[4];
int out[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        {
            scratch[2] = i;
            out[i] = scratch[2];
        }
    }
    printf("%d\n", out[15]);
}
