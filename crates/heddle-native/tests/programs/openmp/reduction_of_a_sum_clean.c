// expect: clean
// flags: -fopenmp
// threads: 2,4
// The sum is reduced.

#include <stdio.h>

int main(void)
{
    int sum = 0;
    int a[64];
    for (int i = 0; i < 64; i++)
        a[i] = i;
    #pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < 64; i++)
        sum += a[i];
    printf("%d\n", sum);
}
