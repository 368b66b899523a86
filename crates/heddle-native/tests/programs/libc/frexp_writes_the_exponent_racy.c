// expect: race 17 19
// flags: -fopenmp -lm
// The exponent is read while it is made.

#include <math.h>

int exponent, other, seen;
volatile double value = 10;
double fraction;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        fraction = frexp(value, &exponent);
        #pragma omp task
        seen = exponent;
    }
}
