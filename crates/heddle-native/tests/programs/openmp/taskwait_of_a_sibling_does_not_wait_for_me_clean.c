// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The writer is a child of the task that waits.

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
            #pragma omp task
            x = 1;
            #pragma omp taskwait
            use(x);
        }
    }
    printf("%d\n", x);
}
