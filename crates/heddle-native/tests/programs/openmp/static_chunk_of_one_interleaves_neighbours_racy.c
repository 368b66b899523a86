// expect: race 14 14
// flags: -fopenmp
// threads: 2,4
// With chunks of one, iterations 2k and 2k+1 that share a cell are on different threads.

#include <stdio.h>

int cell[32];

int main(void)
{
    #pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 64; i++)
        cell[i / 2] += i;
    puts("done");
}
