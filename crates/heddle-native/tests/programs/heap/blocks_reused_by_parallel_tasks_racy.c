// expect: race 18 18
// flags: -fopenmp
// The tasks share one block.

#include <stdlib.h>

int *shared;

int main(void)
{
    shared = malloc(64);
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 200; i++) {
        #pragma omp task
        {
            int *block = shared;
            block[3] = i;
        }
    }
}
