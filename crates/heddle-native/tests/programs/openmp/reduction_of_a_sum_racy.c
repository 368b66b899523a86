// expect: race 16
// flags: -fopenmp
// threads: 2,4
// The sum is shared and not reduced.

#include <stdio.h>

int main(void)
{
    int sum = 0;
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma omp parallel for
    for (int i = 0; i < 64; i++)
        sum += a[i];
    puts("done");
}
