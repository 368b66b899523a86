// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// The source signals after the write.

#include <stdio.h>

int a[65], b[65];

int main(void)
{
    #pragma omp parallel for ordered(1) schedule(dynamic)
    for (int i = 1; i < 64; i++) {
        a[i] = i;
        #pragma omp ordered depend(source)
        #pragma omp ordered depend(sink : i - 1)
        b[i] = a[i - 1];
    }
    printf("%d\n", b[63]);
}
