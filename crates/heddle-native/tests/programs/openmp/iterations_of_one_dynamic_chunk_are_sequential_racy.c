// expect: race 14 14
// flags: -fopenmp
// threads: 2,4
// The pairs that share a cell straddle the border of chunks of two.

#include <stdio.h>

int cell[40];

int main(void)
{
    #pragma omp parallel for schedule(dynamic, 2)
    for (int i = 0; i < 64; i++)
        cell[(i + 1) / 2] += i;
    puts("done");
}
