// expect: race 24 28
// flags: -fopenmp
// threads: 1,2,4,16
// The end of the inner group does not wait for a task of the outer one.

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
            x = 1;
            #pragma omp taskgroup
            {
            }
            use(x);
        }
    }
    puts("done");
}
