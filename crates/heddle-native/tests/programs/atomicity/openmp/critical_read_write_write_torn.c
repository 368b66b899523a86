// expect: atomicity x 28 39 32
// flags: -fopenmp
// compilers: clang,gcc
// threads: 1,2,4
// Two critical sections, and another task between them. The update is lost.

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
            }
            #pragma omp critical
            {
                x = 2;
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
