// expect: clean
// flags: -fopenmp
// Each task has an aligned block of its own, from each function that makes such.

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
            void *block = 0;
            switch (i % 3) {
            case 0:
                if (posix_memalign(&block, 64, 256))
                    abort();
                break;
            case 1:
                block = aligned_alloc(64, 256);
                break;
            case 2:
                block = memalign(64, 256);
                break;
            }
            ((int *)block)[5] = i;
            free(block);
        }
    }
    free(shared);
}
