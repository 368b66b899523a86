// expect: atomicity x 19 21
// flags: -fopenmp
// threads: 4
// Every thread reads and writes in one phase.

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
        #pragma omp critical
        x = old + 1;
        if (omp_get_num_threads() < 1)
            puts("never");
    }
    return 0;
}
