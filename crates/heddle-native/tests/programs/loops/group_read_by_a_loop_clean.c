// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// One element is read, and another of the group is written.

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
        see(cell + 3, 1);
        #pragma omp task
        cell[4] = 1;
    }
    return 0;
}
