// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// The tasks share a zeroed block and both write its first element.

#include <stdio.h>
#include <stdlib.h>

int out[16];

int main(void)
{
    int *block = calloc(16, sizeof *block);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        block[0] = 1;
        #pragma omp task
        block[0] = 2;
        #pragma omp taskwait
    }
    free(block);
    puts("done");
}
