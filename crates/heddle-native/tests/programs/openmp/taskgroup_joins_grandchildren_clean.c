// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The end of taskgroup waits for all descendants.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskgroup
        {
            #pragma omp task
            {
                #pragma omp task
                x = 1;
            }
        }
        use(x);
    }
    printf("%d\n", x);
}
