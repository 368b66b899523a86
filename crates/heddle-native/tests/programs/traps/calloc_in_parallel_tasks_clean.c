// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each task reads the zeroes of its own block, at an address another task wrote before.

#include <stdio.h>
#include <stdlib.h>

int out[16];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 16; i++) {
            #pragma omp task
            {
                int *block = calloc(16, sizeof *block);
                out[i] = block[i] + i;
                block[i] = i;
                free(block);
            }
        }
        #pragma omp taskwait
    }
    printf("%d\n", out[15]);
}
