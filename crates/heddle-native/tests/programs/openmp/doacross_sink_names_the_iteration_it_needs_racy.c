// expect: race 15 15
// flags: -fopenmp
// threads: 2,4,16
// Iteration i waits for i-2 but reads the result of i-1.

#include <stdio.h>

int a[65];

int main(void)
{
    #pragma omp parallel for ordered(1) schedule(static, 1)
    for (int i = 2; i < 64; i++) {
        #pragma omp ordered depend(sink : i - 2)
        a[i] = a[i - 1] + 1;
        #pragma omp ordered depend(source)
    }
    puts("done");
}
