// expect: clean
// flags: -fopenmp
// compilers: clang,gcc
// threads: 1,4
// The second task depends on the first.

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
        #pragma omp task depend(inout : x)
        {
            #pragma omp critical
            x = 7;
        }
    }
    return 0;
}
