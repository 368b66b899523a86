// expect: race 15 17
// flags: -fopenmp
// threads: 2,4
// master and single may be executed by different threads at the same time.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp master
        x = 1;
        #pragma omp single nowait
        x = x + 1;
    }
    puts("done");
}
