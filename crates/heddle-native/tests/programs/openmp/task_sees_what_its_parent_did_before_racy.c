// expect: race 23 22
// flags: -fopenmp
// threads: 1,2,4,16
// The parent writes after it created the task.

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
        use(x);
        x = 1;
    }
    puts("done");
}
