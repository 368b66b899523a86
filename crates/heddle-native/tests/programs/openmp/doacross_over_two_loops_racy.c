// expect: race 16 16
// flags: -fopenmp
// threads: 2,4
// The dependence on the row above is not declared.

#include <stdio.h>

int m[9][9];

int main(void)
{
    #pragma omp parallel for ordered(2) schedule(static, 1)
    for (int i = 1; i < 9; i++)
        for (int j = 1; j < 9; j++) {
            #pragma omp ordered depend(sink : i, j - 1)
            m[i][j] = m[i - 1][j] + m[i][j - 1] + 1;
            #pragma omp ordered depend(source)
        }
    puts("done");
}
