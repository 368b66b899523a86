// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The buffer is declared inside the region: the chunks that meet in it ran on one thread.

#include <stdio.h>

int out[64];

int main(void)
{
    #pragma omp parallel
    {
        int scratch[8] = {0};
        #pragma omp for schedule(dynamic)
        for (int i = 0; i < 64; i++) {
            scratch[3] = i;
            out[i] = scratch[3];
        }
    }
    printf("%d\n", out[63]);
}
