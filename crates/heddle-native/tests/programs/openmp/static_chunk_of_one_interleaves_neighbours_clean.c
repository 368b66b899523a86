// expect: clean
// flags: -fopenmp
// threads: 2,4
// With chunks of two, the iterations that share a cell are one chunk.

#include <stdio.h>

int cell[32];

int main(void)
{
    #pragma omp parallel for schedule(static, 2)
    for (int i = 0; i < 64; i++)
        cell[i / 2] += i;
    printf("%d\n", cell[31]);
}
