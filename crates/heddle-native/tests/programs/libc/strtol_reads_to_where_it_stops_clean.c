// expect: clean
// flags: -fopenmp
// What follows the number is overwritten.

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
        text[5] = '9';
    }
}
