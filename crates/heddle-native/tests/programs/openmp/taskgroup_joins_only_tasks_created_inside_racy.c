// expect: race 22 28
// flags: -fopenmp
// threads: 1,2,4,16
// The writer was created before the taskgroup began.

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
        x = 1;
        #pragma omp taskgroup
        {
            #pragma omp task
            y = 1;
        }
        use(x);
    }
    puts("done");
}
