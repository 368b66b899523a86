// expect: clean
// flags: -fopenmp
// threads: 1,4
// The same without a block: creating a task ends the region.

#include <heddle.h>
#include <stdio.h>

static int x, y;

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            int old;
            #pragma omp critical
            old = x;
            #pragma omp task
            y = 1;
            #pragma omp critical
            x = old + 1;
        }
        #pragma omp task
        {
            #pragma omp critical
            x = 7;
        }
    }
    printf("%d\n", y);
    return 0;
}
