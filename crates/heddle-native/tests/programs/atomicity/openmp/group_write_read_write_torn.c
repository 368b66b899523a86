// expect: atomicity x,y 27 38 31
// flags: -fopenmp
// threads: 1,4
// x and y belong together, and are accessed in two sections. A value that was never to be seen is seen.

#include <heddle.h>
#include <stdio.h>

static int x, y;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main(void)
{
    HEDDLE_ATOMIC_GROUP(x, y);
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
                y = 2;
            }
        }
        #pragma omp task
        {
            #pragma omp critical
            {
                use(y);
            }
        }
    }
    return 0;
}
