// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// The members of a struct do not.

#include <stdio.h>

struct {
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
    printf("%d %.0f\n", both.number, both.fraction);
}
