// expect: race 22 23
// flags: -fopenmp
// threads: 1,2,4,16
// The creating task copies a variable (at the directive) that an earlier task may still be writing.

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
        x = 1;
        #pragma omp task firstprivate(x)
        use(x);
    }
    puts("done");
}
