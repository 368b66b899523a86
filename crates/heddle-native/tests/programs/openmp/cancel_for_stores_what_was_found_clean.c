// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// env: OMP_CANCELLATION=true
// The result is stored atomically.

#include <stdio.h>

int found;

int main(void)
{
    #pragma omp parallel
    {
        #pragma omp for schedule(static)
        for (int i = 0; i < 64; i++) {
            #pragma omp atomic write
            found = 1;
            #pragma omp cancel for
            #pragma omp cancellation point for
        }
    }
    printf("%d\n", found);
}
