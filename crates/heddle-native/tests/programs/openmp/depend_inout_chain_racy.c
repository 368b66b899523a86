// expect: race 24 26
// flags: -fopenmp
// threads: 1,2,4,16
// The third link names the wrong variable.

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
        #pragma omp task depend(inout : x)
        use(1);
        #pragma omp task depend(inout : x)
        x = 10;
        #pragma omp task depend(inout : y)
        x += 5;
        #pragma omp taskwait
    }
    puts("done");
}
