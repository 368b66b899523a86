// expect: atomicity 15 37 38
// flags: -fopenmp -O1
// threads: 1,4
// Elements 13 to 20 are read by both loops, in two sections.

#include <heddle.h>
#include <stdio.h>

static short cell[40];

__attribute__((noinline)) void see(const short *cell, int count)
{
    int sum = 0;
    for (int i = 0; i < count; i++)
        sum += cell[i];
    if (sum == 999)
        puts("never");
}

int main(void)
{
    HEDDLE_ATOMIC_RANGE(cell, 40);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            #pragma omp critical
            see(cell, 21);
            #pragma omp critical
            see(cell + 13, 20);
        }
        #pragma omp task
        {
            #pragma omp critical
            {
                cell[13] = 1;
                cell[20] = 1;
            }
        }
    }
    return 0;
}
