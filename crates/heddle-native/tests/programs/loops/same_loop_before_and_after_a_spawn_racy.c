// expect: race 14:16 21:17
// flags: -fopenmp -O2
// threads: 1,4
// The loop has written this before, but not beside a task.

#include <stdio.h>

int cell[50];

__attribute__((noinline)) int total(const int *cell, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += cell[i];
    return sum;
}

__attribute__((noinline)) void add(int *cell, int count)
{
    for (int i = 0; i < count; i++)
        cell[i] += 1;
}

int main(void)
{
    int sum = 0;
    #pragma omp parallel
    #pragma omp single
    {
        sum += total(cell, 50);
        add(cell, 50);
        add(cell, 50);
        #pragma omp task
        printf("%d\n", total(cell, 50) >= 0);
        sum += total(cell, 50);
        /* not waited for */
        add(cell + 49, 1);
    }
    return sum < 0;
}
