// expect: race 18 20
// flags: -fopenmp
// threads: 1,2,4,16
// Two tasks with only in dependences run side by side, and both write y.

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
        #pragma omp task depend(in : x)
        y = x + 2;
    }
    puts("done");
}
