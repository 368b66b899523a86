// expect: clean
// flags: -fopenmp
// The block is made smaller after the tasks.

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
    }
    block = realloc(block, 50 * sizeof *block);
    free(block);
}
