// expect: race 17
// expect: atomicity 17
// flags: -fopenmp
// threads: 4
// All iterations count in the same few bins.

#include <heddle.h>
#include <stdio.h>

static volatile int bins[64];

int main(void)
{
    HEDDLE_ATOMIC_RANGE(bins, 64);
    #pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 64; i++)
        bins[i % 4] += 1;
    printf("%d\n", bins[0]);
    return 0;
}
