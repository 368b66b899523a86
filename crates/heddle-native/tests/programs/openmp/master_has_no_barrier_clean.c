// expect: clean
// flags: -fopenmp
// threads: 2,4
// An explicit barrier follows the master block.

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
        #pragma omp master
        x = 1;
        #pragma omp barrier
        use(x);
    }
    printf("%d\n", x);
}
