// expect: race 18 19
// flags: -fopenmp
// threads: 1,2,4,16
// In a region any thread may take the tasks.

#include <stdio.h>

int mark;

int main(void)
{
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        {
#pragma omp task
            mark = 1;
            mark = 2;
        }
    }
    printf("%d\n", mark > 0);
    return 0;
}
