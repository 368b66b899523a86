// expect: race 24 26
// flags: -fopenmp
// threads: 1,2,4,16
// The child of the undeferred task is an ordinary deferred task.

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
        #pragma omp task if (0)
        {
            #pragma omp task
            x = 1;
        }
        use(x);
    }
    puts("done");
}
