// expect: clean
// flags: -fopenmp
// threads: 2,4
// Input and output are different arrays.

#include <stdio.h>

int a[65], b[65];

int main(void)
{
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 64; i++)
        b[i] = a[i + 1] + 1;
    printf("%d\n", b[63]);
}
