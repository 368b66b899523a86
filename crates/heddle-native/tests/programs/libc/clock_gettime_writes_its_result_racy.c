// expect: race 17 19
// flags: -fopenmp
// The time is read while it is taken.

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
        seen = now.tv_nsec;
    }
}
