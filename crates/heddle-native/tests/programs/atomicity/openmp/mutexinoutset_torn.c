// expect: race
// expect: atomicity x 23 24
// flags: -fopenmp
// threads: 1,4
// Where nothing comes in between, the compiler names a read together with the write that follows it.
// Two tasks that may run side by side.

#include <heddle.h>
#include <stdio.h>

static volatile int x;
static int token;

int main(void)
{
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 2; i++) {
            #pragma omp task depend(in : token)
            {
                int old = x;
                x = old + 1;
            }
        }
    }
    printf("%d\n", token);
    return 0;
}
