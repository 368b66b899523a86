// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// A taskwait stands between their creations.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        x = 1;
        #pragma omp taskwait
        #pragma omp task
        x = 2;
    }
    printf("%d\n", x);
}
