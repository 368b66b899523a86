// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The lengths leave no overlap.

#include <stdio.h>
#include <string.h>

char buffer[128];
volatile int half = 64;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        memset(buffer, 'a', half);
        #pragma omp task
        memmove(buffer + half, buffer + half + 8, half - 8);
    }
    printf("%c\n", buffer[63]);
}
