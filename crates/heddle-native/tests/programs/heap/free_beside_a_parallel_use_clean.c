// expect: clean
// flags: -fopenmp
// The block is freed after the tasks.

#include <stdlib.h>

int seen;

int main(void)
{
    int *block = calloc(4, sizeof *block);
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        seen = block[2];
    }
    free(block);
}
