// expect: race 16 30
// expect: atomicity cell 16 30
// flags: -fopenmp -O2
// threads: 1,4
// Two elements of the group are read, and one of them is written in between.

#include <heddle.h>
#include <stdio.h>

static int cell[16];

__attribute__((noinline)) void see(const int *cell, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += cell[i];
    if (sum == 999)
        puts("never");
}

int main(void)
{
    HEDDLE_ATOMIC_GROUP(cell);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        see(cell + 3, 2);
        #pragma omp task
        cell[3] = 1;
    }
    return 0;
}
