// expect: clean
// flags: -fopenmp
// threads: 1,4
// Critical sections of one name.

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
            #pragma omp critical(own)
            {
                x = 7;
            }
        }
    }
    return 0;
}
