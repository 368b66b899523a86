// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The results are used after the taskwait.

#include <stdio.h>

static int fib(int n)
{
    if (n < 2)
        return n;
    int a = 0, b = 0;
    #pragma omp task shared(a)
    a = fib(n - 1);
    #pragma omp task shared(b)
    b = fib(n - 2);
    #pragma omp taskwait
    int sum = a + b;
    return sum;
}

int main(void)
{
    int result = 0;
    #pragma omp parallel
    #pragma omp single
    result = fib(8);
    printf("%d\n", result);
}
