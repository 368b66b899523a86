// expect: atomicity x 21 23
// flags: -fopenmp
// threads: 1,4
// Atomic accesses do not race, but an update made of two of them is lost.

#include <heddle.h>
#include <stdio.h>

static int x;

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 2; i++) {
        #pragma omp task
        {
            int old;
            #pragma omp atomic read
            old = x;
            #pragma omp atomic write
            x = old + 1;
        }
    }
    printf("%d\n", x > 0);
    return 0;
}
