// expect: race 24 26
// flags: -fopenmp
// threads: 1,2,4,16
// Two tasks write one mapping.

#define _GNU_SOURCE
#include <stdio.h>
#include <sys/mman.h>

int out[8];

static int *map_page(void)
{
    return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

int main(void)
{
    int *page = map_page();
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        page[9] = 1;
        #pragma omp task
        page[9] = 2;
        #pragma omp taskwait
    }
    munmap(page, 4096);
    puts("done");
}
