// expect: race 13 13
// flags: -fopenmp -fno-optimize-sibling-calls
// threads: 1,2,4,16
// The function's buffer is static, one for all threads.

#include <stdio.h>

int out[16];

__attribute__((noinline)) static char *format(int value)
{
    static char buffer[32];
    snprintf(buffer, sizeof buffer, "%d", value);
    return buffer;
}

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 16; i++) {
        #pragma omp task
        {
            char *text = format(i + 100);
            out[i] = text != NULL;
        }
    }
    puts("done");
}
