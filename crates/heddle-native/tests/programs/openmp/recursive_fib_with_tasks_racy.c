// expect: race 21 24
// expect: race 23 24
// flags: -fopenmp
// threads: 1,2,4,16
// The results of the two tasks are used before the taskwait.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

static int fib(int n)
{
    if (n < 2)
        return n;
    int a = 0, b = 0;
    #pragma omp task shared(a)
    a = fib(n - 1);
    #pragma omp task shared(b)
    b = fib(n - 2);
    int sum = a + b;
    #pragma omp taskwait
    return sum;
}

int main(void)
{
    int result = 0;
    #pragma omp parallel
    #pragma omp single
    result = fib(8);
    use(result);
    puts("done");
}
