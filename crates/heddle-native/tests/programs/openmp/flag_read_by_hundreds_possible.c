// expect: possible 20 26
// flags: -fopenmp -O1
// threads: 1
// Hundreds of tasks act on what they read in a section, before another section changes it: had that come first, none would.

#include <stdio.h>

static int closed, last;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 300; i++) {
            #pragma omp task
            {
                #pragma omp critical
                if (!closed)
                    last = i;
            }
        }
        #pragma omp critical
        closed = 1;

        last = -1;
    }
    printf("%d\n", last);
    return 0;
}
