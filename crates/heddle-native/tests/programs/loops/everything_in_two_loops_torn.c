// expect: atomicity 14 21 41
// flags: -fopenmp -O2
// threads: 1,4
// env: HEDDLE_OPTIONS=atomic=all
// Nothing is declared; elements 5 to 18 are written in one section and read in another.

#include <stdio.h>

static int cell[30];

__attribute__((noinline)) void fill(int *cell, int count)
{
    for (int i = 0; i < count; i++)
        cell[i] = 7 * i;
}

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
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp critical
            fill(cell, 19);
            #pragma omp critical
            see(cell + 5, 20);
        }
        #pragma omp task
        {
            #pragma omp critical
            cell[18] = 1;
        }
    }
    return 0;
}
