// expect: race 20 20
// flags: -fopenmp
// The tasks share one aligned block.

#define _GNU_SOURCE
#include <malloc.h>
#include <stdlib.h>

int *shared;

int main(void)
{
    if (posix_memalign((void **)&shared, 64, 256))
        return 2;
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 60; i++) {
        #pragma omp task
        {
            shared[5] = i;
        }
    }
    free(shared);
}
