// expect: race 23 25
// flags: -fopenmp
// threads: 2,4,16
// After single nowait a thread may read while the task it did not create is still to run.

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
    {
        #pragma omp single nowait
        {
            #pragma omp task
            x = 1;
        }
        use(x);
    }
    puts("done");
}
