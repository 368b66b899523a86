// expect: race 23 27
// flags: -fopenmp
// threads: 1,2,4,16
// compiler: clang
// An ordinary dependence names one variable, not the one written.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x, y;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out : x)
        x = 1;
        #pragma omp task depend(out : y)
        y = 1;
        #pragma omp task depend(inout : y)
        use(x + y);
    }
    puts("done");
}
