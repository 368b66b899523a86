// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// It waits for i-1.

#include <stdio.h>

int a[65];

int main(void)
{
    #pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 2; i < 64; i++) {
        #pragma omp ordered depend(sink : i - 1)
        a[i] = a[i - 1] + 1;
        #pragma omp ordered depend(source)
    }
    printf("%d\n", a[63]);
}
