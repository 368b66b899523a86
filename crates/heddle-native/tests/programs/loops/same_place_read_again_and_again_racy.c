// expect: race 14:20 15:15 30:18 31:17
// flags: -fopenmp -O2
// threads: 1,4
// One iteration: a race, but there is no in between.

#include <heddle.h>
#include <stdio.h>

static int base, last, value[16];

__attribute__((noinline)) void copy(int *value, const int *base, int *last, int count)
{
    for (int i = 0; i < count; i++) {
        value[i] = *base + i;
        *last = i;
    }
}

int main(void)
{
    HEDDLE_ATOMIC(base);
    HEDDLE_ATOMIC(last);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        copy(value, &base, &last, 1);
        #pragma omp task
        {
            base = 1;
            if (last == -12345)
                puts("never");
        }
    }
    return 0;
}
