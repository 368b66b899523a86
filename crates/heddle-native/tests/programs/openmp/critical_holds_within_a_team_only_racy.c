// expect: race 15 15
// flags: -fopenmp
// threads: 1,2,4
// Each team of a league is a contention group of its own, and critical excludes nobody outside it.

#include <stdio.h>

int sum;

int main(void)
{
#pragma omp teams distribute parallel for
    for (int i = 0; i < 64; i++) {
#pragma omp critical
        sum += i;
    }
    printf("%d\n", sum > 0);
    return 0;
}
