// expect: clean
// flags: -fopenmp
// threads: 2,4
// Each pair of iterations that shares a cell is one chunk.

#include <stdio.h>

int cell[40];

int main(void)
{
    #pragma omp parallel for schedule(dynamic, 2)
    for (int i = 0; i < 64; i++)
        cell[i / 2] += i;
    printf("%d\n", cell[31]);
}
