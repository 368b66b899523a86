// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// Tasks use the blocks that others have freed.

#include <stdlib.h>

__attribute__((noinline)) void fill(int *cell, int count)
{
    for (int i = 0; i < count; i++)
        cell[i] = i * count;
}

__attribute__((noinline)) void own(int count)
{
    int *cell = malloc((size_t)count * sizeof *cell);
    fill(cell, count);
    free(cell);
}

int main(void)
{
    int *shared = calloc(30, sizeof *shared);
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 12; i++) {
            #pragma omp task
            own(25 + i % 3);
        }
        #pragma omp taskwait
        #pragma omp task
        fill(shared, 30);
        #pragma omp taskwait
        free(shared);
    }
    return 0;
}
