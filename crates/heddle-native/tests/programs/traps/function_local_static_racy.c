// expect: race 11 11
// flags: -fopenmp
// threads: 1,2,4,16
// The counter inside the function is one variable.

#include <stdio.h>

__attribute__((noinline)) static int count_call(void)
{
    static int calls;
    return calls++ >= 0;
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
