// expect: clean
// flags: -fopenmp
// Another time is read.

#define _GNU_SOURCE
#include <time.h>

struct timespec now, then;
long seen;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        clock_gettime(CLOCK_MONOTONIC, &now);
        #pragma omp task
        seen = then.tv_nsec;
    }
}
