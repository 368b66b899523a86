// expect: race 24 29
// flags: -fopenmp
// threads: 1,2,4,16
// The two tasks have different parents, so their dependences do not meet.

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
        #pragma omp task
        {
            #pragma omp task depend(out : x)
            x = 1;
        }
        #pragma omp task
        {
            #pragma omp task depend(in : x)
            use(x);
        }
    }
    puts("done");
}
