// expect: race 15 17
// flags: -fopenmp
// threads: 2,4,16
// The second single may be executed by another thread while the first is still busy.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp single nowait
        x = 1;
        #pragma omp single
        x = 2;
    }
    puts("done");
}
