// expect: race 24 25
// flags: -fopenmp
// threads: 1,2,4,16
// The outer task is not final, so its child is deferred.

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
        #pragma omp task final(0)
        {
            #pragma omp task
            x = 1;
            use(x);
        }
    }
    puts("done");
}
