// expect: race 17 17
// flags: -fopenmp
// threads: 2,4,16
// env: OMP_CANCELLATION=true
// Several threads may find a match before the cancellation reaches them, and all store it.

#include <stdio.h>

int found;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for schedule(static)
        for (int i = 0; i < 64; i++) {
            found = 1;
            #pragma omp cancel for
            #pragma omp cancellation point for
        }
    }
    puts("done");
}
