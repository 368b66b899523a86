// expect: race 17
// expect: atomicity sum 17
// flags: -fopenmp
// threads: 4
// A sum without a reduction clause.

#include <heddle.h>
#include <stdio.h>

static volatile int sum;

int main(void)
{
    HEDDLE_ATOMIC(sum);
    #pragma omp parallel
    for (int round = 0; round < 2; round++)
        sum = sum + round;
    printf("%d\n", sum >= 0);
    return 0;
}
