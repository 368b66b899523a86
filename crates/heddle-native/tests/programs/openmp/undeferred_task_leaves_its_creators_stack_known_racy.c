// expect: race 15 19
// flags: -fopenmp
// threads: 1,2,4,16
// The undeferred task runs on its creator's stack; what was done to variables there before is not forgotten.

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
        printf("%d\n", total);
#pragma omp taskwait
    }
    return 0;
}
