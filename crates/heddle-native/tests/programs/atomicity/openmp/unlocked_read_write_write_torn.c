// expect: race
// expect: atomicity x 26 31 27
// flags: -fopenmp
// threads: 1,4
// The update is lost. It is a race as well.

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
            use(x);
            x = 2;
        }
        #pragma omp task
        {
            x = 3;
        }
    }
    return 0;
}
