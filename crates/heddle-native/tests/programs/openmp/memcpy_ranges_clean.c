// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The ranges are disjoint.

#include <stdio.h>
#include <string.h>

char buffer[256], copy[256];
int size = 50;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        memset(buffer + 100, 'x', 2 * size);
        #pragma omp task
        memcpy(copy, buffer + size, size);
    }
    printf("%d\n", copy[49]);
}
