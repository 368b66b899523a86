// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The first single ends with a barrier.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp single
        x = 1;
        #pragma omp single
        x = 2;
    }
    printf("%d\n", x);
}
