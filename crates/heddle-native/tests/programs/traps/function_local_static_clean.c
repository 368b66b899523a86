// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// It is updated atomically.

#include <stdio.h>

__attribute__((noinline)) static int count_call(void)
{
    static int calls;
    int now;
    #pragma omp atomic capture
    now = ++calls;
    return now > 0;
}

int main(void)
{
    int out[8];
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 8; i++) {
        #pragma omp task shared(out)
        out[i] = count_call();
    }
    printf("%d\n", out[7]);
}
