// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Each block depends on its left and upper neighbours.

#include <stdio.h>

int m[5][5];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 1; i < 5; i++)
            for (int j = 1; j < 5; j++) {
                #pragma omp task depend(out : m[i][j]) depend(in : m[i - 1][j], m[i][j - 1])
                m[i][j] = m[i - 1][j] + m[i][j - 1] + 1;
            }
    }
    printf("%d\n", m[4][4]);
}
