// expect: race 19 21
// flags: -fopenmp
// threads: 1,2,4,16
// Neighbouring bit-fields are one memory location.

#include <stdio.h>

struct {
    unsigned first : 4;
    unsigned second : 4;
} flags;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        flags.first = 1;
        #pragma omp task
        flags.second = 2;
    }
    puts("done");
}
