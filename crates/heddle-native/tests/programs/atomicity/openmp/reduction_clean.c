// expect: clean
// flags: -fopenmp
// threads: 4
// A sum with one: what the runtime combines is combined in one piece.

#include <heddle.h>
#include <stdio.h>

static volatile int sum;

int main(void)
{
    HEDDLE_ATOMIC(sum);
    #pragma omp parallel reduction(+ : sum)
    for (int round = 0; round < 2; round++)
        sum = sum + round;
    printf("%d\n", sum >= 0);
    return 0;
}
