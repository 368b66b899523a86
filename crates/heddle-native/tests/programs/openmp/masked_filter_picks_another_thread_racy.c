// expect: race 15 17
// flags: -fopenmp
// threads: 2,4
// filter(1) is another thread than the primary one.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp masked
        x = 1;
        #pragma omp masked filter(1)
        x = 2;
    }
    puts("done");
}
