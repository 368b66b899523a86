// expect: clean
// flags: -fopenmp
// threads: 1,4
// x and y are accessed in one section.

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
                use(x);
                y = 2;
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
