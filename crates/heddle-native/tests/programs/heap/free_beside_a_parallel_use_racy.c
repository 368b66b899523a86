// expect: race 16 18
// flags: -fopenmp
// A task frees what its sibling still reads.

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
        #pragma omp task
        free(block);
    }
}
