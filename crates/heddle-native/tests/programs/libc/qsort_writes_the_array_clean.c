// expect: clean
// flags: -fopenmp
// An element behind those sorted is read.

#include <stdlib.h>

int values[10] = {5, 3, 9, 1}, seen;

int compare(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        qsort(values, 9, sizeof *values, compare);
        #pragma omp task
        seen = values[9];
    }
}
