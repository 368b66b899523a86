// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// compiler: clang
// mutexinoutset runs them in any order, but one at a time.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task depend(mutexinoutset : x)
        x += 1;
        #pragma omp task depend(mutexinoutset : x)
        x += 2;
        #pragma omp taskwait
    }
    printf("%d\n", x);
}
