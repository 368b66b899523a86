// expect: clean
// flags: -fopenmp
// threads: 4
// A barrier lies between reading and writing: nobody writes in the first phase, and the second has only one writer.

#include <heddle.h>
#include <omp.h>
#include <stdio.h>

static int x;

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    {
        int old;
        #pragma omp critical
        old = x;
        #pragma omp barrier
        #pragma omp critical
        if (omp_get_thread_num() == 0)
            x = old + 1;
        if (omp_get_num_threads() < 1)
            puts("never");
    }
    return 0;
}
