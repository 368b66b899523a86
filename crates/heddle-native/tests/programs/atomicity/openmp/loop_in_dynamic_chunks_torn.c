// expect: atomicity total 18 20
// flags: -fopenmp
// threads: 4
// Each iteration reads in one critical section and writes in another.

#include <heddle.h>
#include <stdio.h>

static int total;

int main(void)
{
    HEDDLE_ATOMIC(total);
    #pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 12; i++) {
        int old;
        #pragma omp critical
        old = total;
        #pragma omp critical
        total = old + i;
    }
    printf("%d\n", total > 0);
    return 0;
}
