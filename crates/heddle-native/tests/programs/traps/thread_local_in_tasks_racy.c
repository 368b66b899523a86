// expect: race 18 18
// flags: -fopenmp
// threads: 1,2,4,16
// A global in place of the thread-local.

#include <stdio.h>

int scratch[4];
int out[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        {
            scratch[2] = i;
        }
    }
    puts("done");
}
