// expect: race 22 24
// flags: -fopenmp
// threads: 1,2,4,16
// taskyield lets other tasks run, it does not wait for them.

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
        #pragma omp taskyield
        use(x);
    }
    puts("done");
}
