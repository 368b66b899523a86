// expect: race 15 15
// flags: -fopenmp
// threads: 2,4
// collapse(2) hands iterations of one row to several threads, so the row's sum is shared.

#include <stdio.h>

int m[2][32], row[2];

int main(void)
{
    #pragma omp parallel for collapse(2) schedule(static, 1)
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 32; j++)
            row[i] += m[i][j] + 1;
    puts("done");
}
