// expect: race 18 19
// flags: -fopenmp
// threads: 1,2,4,16
// The task writes a stack variable that its parent reads before it waits.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

__attribute__((noinline)) static int compute(int seed)
{
    int result = 0;
    #pragma omp task shared(result)
    result = seed * 2;
    int seen = result;
    #pragma omp taskwait
    return seen;
}

int main(void)
{
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 8; i++)
        sum += compute(i);
    use(sum);
    puts("done");
}
