// expect: clean
// flags: -fopenmp
// What lies behind the text snprintf wrote is read in parallel.

#include <stdio.h>

char buffer[32], seen;

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        snprintf(buffer, sizeof buffer, "%d-%s", 12, "ab");
        #pragma omp task
        seen = buffer[6];
    }
}
