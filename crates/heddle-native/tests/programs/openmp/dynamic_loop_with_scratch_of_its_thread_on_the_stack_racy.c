// expect: race 17 17
// flags: -fopenmp
// threads: 2,4,16
// The scratch buffer is declared outside the region, one for all threads.

#include <stdio.h>

int out[64];

int main(void)
{
    int scratch[8] = {0};
    #pragma omp parallel
    {
        #pragma omp for schedule(dynamic)
        for (int i = 0; i < 64; i++) {
            scratch[3] = i;
        }
    }
    puts("done");
}
