// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The barrier of single orders the write before the reads.

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
        #pragma omp single
        x = 42;
        use(x);
    }
    printf("%d\n", x);
}
