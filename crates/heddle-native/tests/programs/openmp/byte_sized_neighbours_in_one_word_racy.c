// expect: race 16 18
// flags: -fopenmp
// threads: 1,2,4,16
// A task writes the whole word whose first byte another task writes.

#include <stdio.h>

char bytes[8] __attribute__((aligned(8)));

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        *(volatile long long *)bytes = 1;
        #pragma omp task
        bytes[0] = 2;
        #pragma omp taskwait
    }
    puts("done");
}
