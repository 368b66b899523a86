// expect: atomicity x 35 29 37
// flags: -fopenmp
// threads: 1,4
// taskwait does not wait for the grandchild.

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
        #pragma omp taskwait
        #pragma omp critical
        use(x);
        #pragma omp critical
        use(x);
    }
    return 0;
}
