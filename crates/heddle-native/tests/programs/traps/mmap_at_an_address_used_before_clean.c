// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each task's mapping may lie where a parallel task's mapping was.

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
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 8; i++) {
            #pragma omp task
            {
                int *page = map_page();
                page[9] = i;
                out[i] = page[9];
                munmap(page, 4096);
            }
        }
        #pragma omp taskwait
    }
    printf("%d\n", out[7]);
}
