// expect: race 19 28
// flags: -fopenmp -O1
// threads: 1
// The same, but what they do first depends on nothing that they read.

#include <stdio.h>

static int closed, late, last;

int main(void)
{
    #pragma omp parallel
    #pragma omp single
    {
        for (int i = 0; i < 300; i++) {
            #pragma omp task
            {
                #pragma omp critical
                last = i;
                #pragma omp critical
                if (closed)
                    late++;
            }
        }
        #pragma omp critical
        closed = 1;

        last = -1;
    }
    printf("%d %d\n", last, late);
    return 0;
}
