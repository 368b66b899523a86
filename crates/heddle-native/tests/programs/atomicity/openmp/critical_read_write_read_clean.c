// expect: clean
// flags: -fopenmp
// threads: 1,4
// One critical section.

#include <heddle.h>
#include <stdio.h>

static int x;

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
            #pragma omp critical
            {
                use(x);
                use(x);
            }
        }
        #pragma omp task
        {
            #pragma omp critical
            {
                x = 3;
            }
        }
    }
    return 0;
}
