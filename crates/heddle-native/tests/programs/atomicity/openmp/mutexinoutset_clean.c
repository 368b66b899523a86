// expect: clean
// flags: -fopenmp
// threads: 1,4
// Two tasks of which at most one runs at a time.

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
            #pragma omp task depend(mutexinoutset : token)
            {
                int old = x;
                x = old + 1;
            }
        }
    }
    printf("%d\n", token);
    return 0;
}
