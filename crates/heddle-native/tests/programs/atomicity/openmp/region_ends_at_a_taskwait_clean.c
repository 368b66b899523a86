// expect: clean
// flags: -fopenmp
// threads: 1,4
// A wait lies between the two accesses: they are of two regions, and no pair.

#include <heddle.h>
#include <stdio.h>

static int x, y;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp task
            y = 1;
            #pragma omp critical
            x = 1;
            #pragma omp taskwait
            #pragma omp critical
            use(x);
        }
        #pragma omp task
        {
            #pragma omp critical
            x = 3;
        }
    }
    printf("%d\n", y);
    return 0;
}
