// expect: race 16 18
// flags: -fopenmp
// A digit is overwritten while the number is read.

#include <stdlib.h>

char text[16] = "123  456";
long number;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        number = strtol(text, 0, 10);
        #pragma omp task
        text[2] = '4';
    }
}
