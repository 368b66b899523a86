// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The collapsed iterations write their own elements.

#include <stdio.h>

int m[4][16], row[4];

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop collapse(2) grainsize(1)
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 16; j++)
                m[i][j] += j;
    }
    printf("%d\n", m[3][15]);
}
