// expect: clean
// flags: -fopenmp
// threads: 2,4
// The iterations write their own elements and read another array.

#include <stdio.h>

int a[65], b[65];

int main(void)
{
    #pragma omp parallel for simd schedule(static)
    for (int i = 0; i < 64; i++)
        b[i + 1] = a[i] + 1;
    printf("%d\n", b[64]);
}
