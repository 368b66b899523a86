// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Outside all regions the team is one thread in every schedule.

#include <stdio.h>

int mark;

int main(void)
{
#pragma omp task
    {
#pragma omp task
        mark = 1;
        mark = 2;
    }
    printf("%d\n", mark > 0);
    return 0;
}
