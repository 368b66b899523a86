// expect: clean
// flags: -fopenmp
// The byte read lies behind what is cleared.

#include <string.h>

char bytes[64], seen;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        memset(bytes, 1, 40);
        #pragma omp task
        seen = bytes[40];
    }
}
