// expect: clean
// flags: -fopenmp
// threads: 2,4
// Without collapse a row belongs to one iteration.

#include <stdio.h>

int m[2][32], row[2];

int main(void)
{
    #pragma omp parallel for schedule(static, 1)
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 32; j++)
            row[i] += m[i][j] + 1;
    printf("%d\n", row[1]);
}
