// expect: atomicity x 22 32 26
// flags: -fopenmp
// threads: 1,4
// The block is atomic as a whole, though a task is created in the middle.

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
            heddle_atomic_begin();
            #pragma omp critical
            old = x;
            #pragma omp task
            y = 1;
            #pragma omp critical
            x = old + 1;
            heddle_atomic_end();
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
