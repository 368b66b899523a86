// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The writer follows both.

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
        #pragma omp task depend(in : y)
        use(x);
        #pragma omp task depend(in : x)
        use(x + 1);
        #pragma omp task depend(out : x, y)
        x = 1;
    }
    printf("%d\n", x);
}
