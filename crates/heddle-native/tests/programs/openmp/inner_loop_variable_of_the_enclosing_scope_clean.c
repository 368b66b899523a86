// expect: clean
// flags: -fopenmp
// threads: 2,4
// The inner loop declares its own variable.

#include <stdio.h>

int m[8][8];

int main(void)
{
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++)
            m[i][j & 7] = i;
    printf("%d\n", m[7][7]);
}
