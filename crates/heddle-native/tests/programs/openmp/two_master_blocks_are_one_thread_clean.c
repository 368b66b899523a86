// expect: clean
// flags: -fopenmp
// threads: 2,4
// Both blocks are executed by the master thread.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp master
        x = 1;
        #pragma omp master
        x = x + 1;
    }
    printf("%d\n", x);
}
