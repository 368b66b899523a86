// expect: race 30 26
// flags: -fopenmp
// threads: 1,4
// A serial sequence explains the three: a race, but nothing is torn.

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
            use(x);
        }
    }
    return 0;
}
