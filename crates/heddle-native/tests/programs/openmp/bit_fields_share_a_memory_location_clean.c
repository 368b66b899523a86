// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// A zero-width field puts the second into its own unit.

#include <stdio.h>

struct {
    unsigned first : 4;
    unsigned : 0;
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
    printf("%d %d\n", flags.first, flags.second);
}
