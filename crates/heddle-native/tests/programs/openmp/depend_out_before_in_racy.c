// expect: race 22 24
// flags: -fopenmp
// threads: 1,2,4,16
// The reader does not declare its dependence.

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
        x = 1;
        #pragma omp task
        use(x);
    }
    puts("done");
}
