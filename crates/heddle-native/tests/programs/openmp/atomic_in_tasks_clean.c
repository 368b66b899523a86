// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Both add atomically.

#include <stdio.h>

long sum;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp atomic
            sum += 1;
        }
        #pragma omp task
        {
            #pragma omp atomic
            sum += 2;
        }
    }
    printf("%ld\n", sum);
}
