// expect: race 16 18
// flags: -fopenmp
// threads: 1,2,4,16
// Undeferred orders a task with its parent, not with a deferred sibling.

#include <stdio.h>

int x;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        x = 1;
        #pragma omp task if (0)
        x = 2;
    }
    puts("done");
}
