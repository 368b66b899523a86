// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// With if(0) the parent goes on only when the task is complete.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    int deferred = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task if (deferred)
        x = 1;
        use(x);
    }
    printf("%d\n", x);
}
