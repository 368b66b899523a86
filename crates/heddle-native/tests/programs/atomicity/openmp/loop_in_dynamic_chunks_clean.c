// expect: clean
// flags: -fopenmp
// threads: 4
// Each iteration reads and writes in one critical section.

#include <heddle.h>
#include <stdio.h>

static int total;

int main(void)
{
    HEDDLE_ATOMIC(total);
    #pragma omp parallel for schedule(dynamic, 1)
    for (int i = 0; i < 12; i++) {
        #pragma omp critical
        {
            int old = total;
            total = old + i;
        }
    }
    printf("%d\n", total > 0);
    return 0;
}
