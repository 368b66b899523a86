// expect: race 24 27
// flags: -fopenmp
// threads: 1,2,4,16
// The dependence is satisfied when the first task ends, though its child still writes.

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
        #pragma omp task depend(out : x)
        {
            #pragma omp task
            x = 1;
        }
        #pragma omp task depend(in : x)
        use(x);
    }
    puts("done");
}
