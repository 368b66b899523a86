// expect: race
// expect: atomicity x 23 24 31
// flags: -fopenmp
// threads: 1,2,4
// Where nothing comes in between, the compiler names a read together with the write that follows it.
// Critical sections of different names do not exclude each other.

#include <heddle.h>
#include <stdio.h>

static volatile int x;

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp critical(own)
            {
                int old = x;
                x = old + 1;
            }
        }
        #pragma omp task
        {
            #pragma omp critical(other)
            {
                x = 7;
            }
        }
    }
    return 0;
}
