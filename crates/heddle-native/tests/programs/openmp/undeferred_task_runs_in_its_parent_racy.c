// expect: race 23 24
// flags: -fopenmp
// threads: 1,2,4,16
// With a true if clause the task is deferred.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

int main(void)
{
    int deferred = 1;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task if (deferred)
        x = 1;
        use(x);
    }
    puts("done");
}
