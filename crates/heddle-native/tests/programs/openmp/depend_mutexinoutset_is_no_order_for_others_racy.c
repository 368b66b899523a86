// expect: race 22 24
// flags: -fopenmp
// threads: 1,2,4,16
// The reader has no dependence on the set.

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
        #pragma omp task depend(mutexinoutset : x)
        x += 1;
        #pragma omp task
        use(x);
        #pragma omp taskwait
    }
    puts("done");
}
