// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// Elements 0 to 40 of both, of which one is only read.

#include <stdio.h>

int left[64], right[64];

__attribute__((noinline)) void shift_down(int *cell, int count)
{
    for (int i = 0; i < count; i++)
        cell[i] = cell[i + 1] + 2;
}

__attribute__((noinline)) void shift_up(int *cell, int count)
{
    for (int i = 0; i < count; i++)
        cell[i + 1] = cell[i] + 1;
}

__attribute__((noinline)) void see(const int *at) { if (*at == 777) puts("never"); }
__attribute__((noinline)) void set(int *at) { *at = 9; }

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            shift_down(left, 40);
            shift_up(right, 40);
        }
        #pragma omp task
        {
            see(&left[40]);
            see(&left[41]);
            see(&right[0]);
            see(&right[41]);
        }
    }
    return 0;
}
