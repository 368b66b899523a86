// expect: clean
// flags: -fopenmp
// threads: 1,4
// Two iterations share a slot and update it in one critical section.

#include <heddle.h>
#include <stdio.h>

static long slots[4];

int main(void)
{
    HEDDLE_ATOMIC_RANGE(slots, 4);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp taskloop grainsize(1)
        for (int i = 0; i < 8; i++) {
            #pragma omp critical
            {
                long old = slots[i / 2];
                slots[i / 2] = old + i;
            }
        }
    }
    printf("%ld\n", slots[0]);
    return 0;
}
