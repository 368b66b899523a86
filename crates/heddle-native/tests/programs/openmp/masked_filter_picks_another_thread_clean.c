// expect: clean
// flags: -fopenmp
// threads: 2,4
// Both masked blocks are executed by thread 1.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp masked filter(1)
        x = 1;
        #pragma omp masked filter(1)
        x = 2;
    }
    printf("%d\n", x);
}
