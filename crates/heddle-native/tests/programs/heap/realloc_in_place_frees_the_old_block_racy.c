// expect: race 16 18
// flags: -fopenmp
// A task makes the block smaller while its sibling reads it.

#include <stdlib.h>

int seen, *block;

int main(void)
{
    block = calloc(100, sizeof *block);
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        seen = block[40];
        #pragma omp task
        block = realloc(block, 50 * sizeof *block);
    }
    free(block);
}
