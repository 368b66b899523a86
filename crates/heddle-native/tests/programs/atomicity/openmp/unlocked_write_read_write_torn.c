// expect: race
// expect: atomicity x 26 31 27
// flags: -fopenmp
// threads: 1,4
// A value that was never to be seen is seen. It is a race as well.

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
            x = 2;
        }
        #pragma omp task
        {
            use(x);
        }
    }
    return 0;
}
