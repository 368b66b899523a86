// expect: clean
// flags: -fopenmp
// threads: 2,4
// Each thread writes its own copy, and the other reads it beyond a barrier.

#include <omp.h>
#include <stdio.h>

int counter;
#pragma omp threadprivate(counter)
int *published;

int main(void)
{
    int seen = 0;
    published = &counter;
    #pragma omp parallel num_threads(2)
    {
        counter = omp_get_thread_num() + 1;
        #pragma omp barrier
        if (omp_get_thread_num() != 0)
            seen = *published;
        #pragma omp barrier
        counter = 0;
    }
    printf("%d\n", seen);
}
