// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The parent waits before it reads.

#include <stdio.h>

__attribute__((noinline)) static int compute(int seed)
{
    int result = 0;
    #pragma omp task shared(result)
    result = seed * 2;
    #pragma omp taskwait
    int seen = result;
    return seen;
}

int main(void)
{
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 8; i++)
        sum += compute(i);
    printf("%d\n", sum);
}
