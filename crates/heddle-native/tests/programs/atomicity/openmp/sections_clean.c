// expect: clean
// flags: -fopenmp
// threads: 4
// One section holds the lock throughout.

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
            #pragma omp critical
            {
                int old = x;
                x = old + 1;
            }
        }
        #pragma omp section
        {
            #pragma omp critical
            x = 7;
        }
    }
    return 0;
}
