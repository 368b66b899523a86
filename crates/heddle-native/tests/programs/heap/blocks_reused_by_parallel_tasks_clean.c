// expect: clean
// flags: -fopenmp
// Each task frees its block, and the next task gets the same one.

#include <stdlib.h>


int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 200; i++) {
        #pragma omp task
        {
            int *block = malloc(64);
            block[3] = i;
            free(block);
        }
    }
}
