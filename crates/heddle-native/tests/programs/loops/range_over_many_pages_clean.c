// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// What earlier tasks have written in a long range, and what later ones write behind it.

#include <stdlib.h>

__attribute__((noinline)) void add(int *cell, long count)
{
    for (long i = 0; i < count; i++)
        cell[i] += 1;
}

int main(void)
{
    long count = 300001;
    int *cell = calloc((size_t)count + 2, sizeof *cell);
    #pragma omp parallel
    #pragma omp single
    {
        for (long i = 1024; i < count; i += 70000) {
            #pragma omp task
            cell[i] = 1;
        }
        #pragma omp taskwait
        #pragma omp task
        cell[count] = 1;
        #pragma omp task
        add(cell, count);
        #pragma omp task
        cell[count + 1] = 1;
    }
    free(cell);
    return 0;
}
