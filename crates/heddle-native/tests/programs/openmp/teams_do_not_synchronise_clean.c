// expect: clean
// flags: -fopenmp
// threads: 2,4
// Each distributed iteration has its own element.

#include <stdio.h>

int sum[64];

int main(void)
{
    #pragma omp teams distribute num_teams(2) thread_limit(1)
    for (int i = 0; i < 64; i++)
        sum[i] += i;
    printf("%d\n", sum[63]);
}
