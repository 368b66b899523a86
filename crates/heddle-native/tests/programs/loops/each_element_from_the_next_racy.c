// expect: race 13:17 13:19 19:21 19:23 22:57 23:51
// flags: -fopenmp -O2
// threads: 1,4
// What is only read is written from outside; what is written is read from outside.

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
            set(&left[40]);
            see(&left[0]);
            set(&right[0]);
            see(&right[40]);
        }
    }
    return 0;
}
