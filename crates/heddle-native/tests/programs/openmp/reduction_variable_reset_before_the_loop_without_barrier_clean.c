// expect: clean
// flags: -fopenmp
// threads: 2,4
// A barrier stands between the reset and the loop.

#include <stdio.h>

int sum;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp master
        sum = 0;
        #pragma omp barrier
        #pragma omp for reduction(+ : sum)
        for (int i = 0; i < 64; i++)
            sum += i;
    }
    printf("%d\n", sum);
}
