// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The undeferred task waits for the task it depends on.

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
        #pragma omp task if (0) depend(inout : x)
        use(x);
    }
    printf("%d %d\n", x, y);
}
