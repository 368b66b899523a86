// expect: race 25 29
// flags: -fopenmp
// threads: 1,2,4,16
// taskwait in place of taskgroup leaves the grandchild running.

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
        {
            #pragma omp task
            {
                #pragma omp task
                x = 1;
            }
        }
        #pragma omp taskwait
        use(x);
    }
    puts("done");
}
