// expect: clean
// flags: -fopenmp
// threads: 1,4
// One atomic update.

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
            #pragma omp atomic update
            x += 1;
        }
    }
    printf("%d\n", x > 0);
    return 0;
}
