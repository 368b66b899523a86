// expect: race 25 25
// flags: -fopenmp
// The tasks share one mapping.

#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

int *map(void)
{
    void *memory = mmap(0, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        abort();
    return memory;
}

int main(void)
{
    int *shared = map();
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 50; i++) {
        #pragma omp task
        {
            shared[9] = i;
        }
    }
}
