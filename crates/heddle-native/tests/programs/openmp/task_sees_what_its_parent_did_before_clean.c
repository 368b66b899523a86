// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The parent writes before it creates the task.

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
        x = 1;
        #pragma omp task
        use(x);
    }
    printf("%d\n", x);
}
