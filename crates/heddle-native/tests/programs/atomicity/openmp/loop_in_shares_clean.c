// expect: clean
// flags: -fopenmp
// threads: 4
// Each thread adds up its share and adds that in one critical section.

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
        for (int i = 0; i < 40; i++)
            share += i;
        #pragma omp critical
        {
            int old = total;
            total = old + share;
        }
        if (share < 0)
            puts("never");
    }
    printf("%d\n", total > 0);
    return 0;
}
