// expect: race 14 14
// flags: -fopenmp
// threads: 2,4
// Iteration i reads what iteration i+1 writes; at the border of two chunks that is another thread.

#include <stdio.h>

int a[65], b[65];

int main(void)
{
    #pragma omp parallel for schedule(static)
    for (int i = 0; i < 64; i++)
        a[i] = a[i + 1] + 1;
    puts("done");
}
