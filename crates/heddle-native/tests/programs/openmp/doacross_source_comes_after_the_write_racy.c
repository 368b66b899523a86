// expect: race 15 17
// flags: -fopenmp
// threads: 2,4,16
// The source signals before the element is written.

#include <stdio.h>

int a[65], b[65];

int main(void)
{
    #pragma omp parallel for ordered(1) schedule(dynamic)
    for (int i = 1; i < 64; i++) {
        #pragma omp ordered depend(source)
        a[i] = i;
        #pragma omp ordered depend(sink : i - 1)
        b[i] = a[i - 1];
    }
    puts("done");
}
