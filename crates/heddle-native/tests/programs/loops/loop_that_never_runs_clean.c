// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// No iteration: nothing is touched, not even through a null pointer.

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
            up(cell, 0, 0);
            up(cell, 9, -4);
            down(cell + 4, 0);
            each(nothing, 0);
        }
        #pragma omp task
        for (int i = 0; i < 16; i++)
            cell[i] = i;
    }
    return 0;
}
