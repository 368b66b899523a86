// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// An in dependence follows the whole set.

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
        #pragma omp task depend(in : x)
        use(x);
        #pragma omp taskwait
    }
    printf("%d\n", x);
}
