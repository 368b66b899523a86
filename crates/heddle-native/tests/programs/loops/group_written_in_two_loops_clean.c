// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// Both halves are written in one section.

#include <heddle.h>
#include <stdio.h>

static short cell[20];

__attribute__((noinline)) void fill(short *cell, int count, int by)
{
    for (int i = 0; i < count; i++)
        cell[i] = (short)(i * by);
}

int main(void)
{
    HEDDLE_ATOMIC_GROUP(cell);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp critical
            {
                fill(cell, 9, 3);
                fill(cell + 9, 11, 5);
            }
        }
        #pragma omp task
        {
            #pragma omp critical
            if (cell[19] == 77)
                puts("never");
        }
    }
    return 0;
}
