// expect: clean
// flags: -fopenmp
// threads: 1,4
// taskgroup does.

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
        #pragma omp taskgroup
        {
            #pragma omp task
            {
                #pragma omp task
                {
                    #pragma omp critical
                    x = 1;
                }
            }
        }
        #pragma omp critical
        use(x);
        #pragma omp critical
        use(x);
    }
    return 0;
}
