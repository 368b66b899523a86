// expect: clean
// flags: -fopenmp
// threads: 1,4
// The second task comes after the first.

#include <heddle.h>
#include <stdio.h>

static volatile int x;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            x = 1;
            use(x);
        }
        #pragma omp taskwait
        #pragma omp task
        {
            use(x);
        }
    }
    return 0;
}
