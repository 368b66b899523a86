// Counts primes, a task per number. It prints 25 primes nearly every time, and it has a race.
#include <stdio.h>

static int count;

static int is_prime(int n)
{
    for (int d = 2; d * d <= n; d++)
        if (n % d == 0)
            return 0;
    return 1;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int n = 2; n < 100; n++) {
        #pragma omp task
        if (is_prime(n))
            count++;
    }
    printf("%d primes\n", count);
}
