// expect: clean
// flags: -fopenmp
// threads: 2,4
// copyin copies the master's value to each thread at the start of the region.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int base = 1;
#pragma omp threadprivate(base)

int main(void)
{
    base = 10;
    #pragma omp parallel copyin(base)
    {
        use(base);
        base += 1;
    }
    printf("%d\n", base);
}
