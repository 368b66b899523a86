// expect: clean
// flags: -fopenmp
// Behind the source is written while it is moved.

#include <string.h>

char from[64], to[64];

int main(void)
{
    #pragma omp parallel num_threads(2)
    #pragma omp single
    {
        #pragma omp task
        memmove(to, from, 20);
        #pragma omp task
        from[20] = 1;
    }
}
