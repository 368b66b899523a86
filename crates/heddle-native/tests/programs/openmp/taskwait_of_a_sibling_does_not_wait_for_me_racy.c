// expect: race 22 26
// flags: -fopenmp
// threads: 1,2,4,16
// A task's taskwait waits for its own children, not for its siblings.

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
        #pragma omp task
        {
            #pragma omp taskwait
            use(x);
        }
    }
    puts("done");
}
