// expect: race 22 23
// flags: -fopenmp
// threads: 1,2,4,16
// mergeable is a permission, the task may run later.

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
        #pragma omp task mergeable shared(x)
        x = 1;
        use(x);
    }
    puts("done");
}
