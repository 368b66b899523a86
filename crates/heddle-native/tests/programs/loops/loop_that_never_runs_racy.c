// expect: race 14:17 20:21 43:21
// flags: -fopenmp -O2
// threads: 1,4
// One iteration each.

#include <stddef.h>

int cell[16];
char *nothing;

__attribute__((noinline)) void up(int *cell, int from, int to)
{
    for (int i = from; i < to; i++)
        cell[i] ^= 5;
}

__attribute__((noinline)) void down(int *cell, unsigned count)
{
    while (count-- > 0)
        cell[count] ^= 5;
}

__attribute__((noinline)) void each(char *cell, size_t count)
{
    for (char *end = cell + count; cell != end; cell++)
        *cell ^= 5;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            up(cell, 0, 1);
            up(cell, 9, -4);
            down(cell + 4, 1);
            each(nothing, 0);
        }
        #pragma omp task
        for (int i = 0; i < 16; i++)
            cell[i] = i;
    }
    return 0;
}
