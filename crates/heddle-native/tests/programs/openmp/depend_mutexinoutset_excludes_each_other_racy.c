// expect: race 17 19
// flags: -fopenmp
// threads: 1,2,4,16
// compiler: clang
// inoutset lets the members of the set run at the same time.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(inoutset : x)
        x += 1;
        #pragma omp task depend(inoutset : x)
        x += 2;
        #pragma omp taskwait
    }
    puts("done");
}
