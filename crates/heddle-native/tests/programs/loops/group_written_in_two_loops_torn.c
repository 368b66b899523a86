// expect: atomicity cell 14 37
// flags: -fopenmp -O2
// threads: 1,4
// The halves of the group are written in two sections.

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
            }
            #pragma omp critical
            {
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
