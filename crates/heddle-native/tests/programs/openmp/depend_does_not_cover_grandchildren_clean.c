// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The first task waits for its child.

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
            #pragma omp taskwait
        }
        #pragma omp task depend(in : x)
        use(x);
    }
    printf("%d\n", x);
}
