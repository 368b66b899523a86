// expect: race 16 16
// flags: -fopenmp
// threads: 2,4
// The iterations of a loop construct are not independent as claimed.

#include <stdio.h>

int a[65], b[65];

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp loop bind(parallel)
        for (int i = 0; i < 64; i++)
            a[i] = a[i + 1] + 1;
    }
    puts("done");
}
