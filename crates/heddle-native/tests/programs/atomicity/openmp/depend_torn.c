// expect: atomicity x 22 29 24
// flags: -fopenmp
// compilers: clang,gcc
// threads: 1,4
// Nothing orders the two tasks.

#include <heddle.h>
#include <stdio.h>

static int x;

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(inout : x)
        {
            int old;
            #pragma omp critical
            old = x;
            #pragma omp critical
            x = old + 1;
        }
        #pragma omp task
        {
            #pragma omp critical
            x = 7;
        }
    }
    return 0;
}
