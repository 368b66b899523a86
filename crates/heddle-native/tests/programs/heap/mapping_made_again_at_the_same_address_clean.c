// expect: clean
// flags: -fopenmp
// Each task maps and unmaps memory of its own, at an address that others had before.

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
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 50; i++) {
        #pragma omp task
        {
            int *own = map();
            own[9] = i;
            own = mremap(own, 1 << 16, 1 << 18, MREMAP_MAYMOVE);
            own[1 << 15] = i;
            munmap(own, 1 << 18);
        }
    }
}
