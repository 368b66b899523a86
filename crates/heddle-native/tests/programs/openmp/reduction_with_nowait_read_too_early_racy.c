// expect: race 20 23
// flags: -fopenmp
// threads: 2,4
// Without the barrier the combination (at the directive) is not ordered before another thread's read.

#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int sum;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for reduction(+ : sum) nowait
        for (int i = 0; i < 64; i++)
            sum += i;
        use(sum);
    }
    puts("done");
}
