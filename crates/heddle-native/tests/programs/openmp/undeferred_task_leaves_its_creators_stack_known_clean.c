// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The creator waits before it reads.

#include <stdio.h>

int main(void)
{
#pragma omp parallel
#pragma omp single
    {
        int total = 1;
#pragma omp task shared(total)
        total = 2;
#pragma omp task if(0)
        {
        }
#pragma omp taskwait
        printf("%d\n", total);
    }
    return 0;
}
