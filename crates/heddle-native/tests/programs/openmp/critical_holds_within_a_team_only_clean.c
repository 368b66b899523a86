// expect: clean
// flags: -fopenmp
// threads: 1,2,4
// Atomic accesses exclude each other across teams, too.

#include <stdio.h>

int sum;

int main(void)
{
#pragma omp teams distribute parallel for
    for (int i = 0; i < 64; i++) {
#pragma omp atomic
        sum += i;
    }
    printf("%d\n", sum > 0);
    return 0;
}
