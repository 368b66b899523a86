// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The second declares inout and so follows the first.

#include <stdio.h>

int x, y;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(out : x)
        x = 1;
        #pragma omp task depend(in : x)
        y = x + 1;
        #pragma omp task depend(inout : x)
        y = x + 2;
    }
    printf("%d\n", y);
}
