// expect: atomicity total 21 23
// flags: -fopenmp
// threads: 4
// Each thread reads in one critical section and writes in another.

#include <heddle.h>
#include <stdio.h>

static int total;

int main(void)
{
    HEDDLE_ATOMIC(total);
    #pragma omp parallel
    {
        int share = 0;
        #pragma omp for schedule(static) nowait
        for (int i = 0; i < 40; i++) {
            int old;
            #pragma omp critical
            old = total;
            #pragma omp critical
            total = old + i;
        }
        if (share < 0)
            puts("never");
    }
    printf("%d\n", total > 0);
    return 0;
}
