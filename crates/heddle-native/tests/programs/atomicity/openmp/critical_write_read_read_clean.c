// expect: clean
// flags: -fopenmp
// threads: 1,4
// Two critical sections, but a serial sequence explains the three accesses.

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
                x = 1;
            }
            #pragma omp critical
            {
                use(x);
            }
        }
        #pragma omp task
        {
            #pragma omp critical
            {
                use(x);
            }
        }
    }
    return 0;
}
