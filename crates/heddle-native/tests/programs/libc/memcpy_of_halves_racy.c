// expect: race 15 17
// flags: -fopenmp
// The copies overlap by one byte.

#include <string.h>

char from[64], to[64];

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        memcpy(to, from, 32);
        #pragma omp task
        memcpy(to + 31, from, 32);
    }
}
