// expect: race 15 16
// flags: -fopenmp
// threads: 2,4
// One thread's combination (at the directive) may come before another thread's reset.

#include <stdio.h>

int sum;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp master
        sum = 0;
        #pragma omp for reduction(+ : sum)
        for (int i = 0; i < 64; i++)
            sum += i;
    }
    puts("done");
}
