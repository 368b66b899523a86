// expect: race 18 18
// flags: -fopenmp
// threads: 2,4,16
// One heap buffer for all threads.

#include <stdio.h>
#include <stdlib.h>

int out[64];

int main(void)
{
    int *scratch = malloc(8 * sizeof *scratch);
    #pragma omp parallel
    {
        #pragma omp for schedule(dynamic, 2)
        for (int i = 0; i < 64; i++) {
            scratch[3] = i;
        }
    }
    free(scratch);
    puts("done");
}
