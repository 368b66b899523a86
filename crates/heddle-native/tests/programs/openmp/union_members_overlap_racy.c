// expect: race 19 21
// flags: -fopenmp
// threads: 1,2,4,16
// The members of a union share their bytes.

#include <stdio.h>

union {
    int number;
    float fraction;
} both;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        both.number = 1;
        #pragma omp task
        both.fraction = 2.0f;
    }
    puts("done");
}
