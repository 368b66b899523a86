// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The sum is reduced.

#include <stdio.h>

int main(void)
{
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop reduction(+ : sum) num_tasks(4)
        for (int i = 0; i < 64; i++)
            sum += i;
    }
    printf("%d\n", sum);
}
