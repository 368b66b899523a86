// expect: race 19 19
// flags: -fopenmp
// threads: 1,2,4,16
// The tasks share one block.

#include <stdio.h>
#include <stdlib.h>

int out[32];

int main(void)
{
    int *block = malloc(64);
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 32; i++) {
        #pragma omp task
        {
            block[0] = i;
        }
    }
    free(block);
    puts("done");
}
