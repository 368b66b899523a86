// expect: race 25 26
// flags: -fopenmp
// threads: 1,2,4,16
// The second child is created after the taskwait.

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
        #pragma omp task
        y = 1;
        #pragma omp taskwait
        #pragma omp task
        x = 1;
        use(x);
    }
    puts("done");
}
