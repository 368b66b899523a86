// expect: atomicity x 20 27 22
// flags: -fopenmp
// threads: 4
// The sections may run on two threads.

#include <heddle.h>
#include <stdio.h>

static int x;

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            int old;
            #pragma omp critical
            old = x;
            #pragma omp critical
            x = old + 1;
        }
        #pragma omp section
        {
            #pragma omp critical
            x = 7;
        }
    }
    return 0;
}
