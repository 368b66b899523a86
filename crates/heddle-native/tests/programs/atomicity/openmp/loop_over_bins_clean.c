// expect: clean
// flags: -fopenmp
// threads: 4
// Every iteration counts in a bin of its own.

#include <heddle.h>
#include <stdio.h>

static volatile int bins[64];

int main(void)
{
    HEDDLE_ATOMIC_RANGE(bins, 64);
    #pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 64; i++)
        bins[i] += 1;
    printf("%d\n", bins[0]);
    return 0;
}
