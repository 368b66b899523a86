// expect: race 18 18
// flags: -fopenmp
// threads: 1,2,4,16
// Collapsed iterations of one row are spread over several tasks.

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
                row[i] += j;
    }
    puts("done");
}
