// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// env: OMP_CANCELLATION=false
// Each thread stores in its own element.

#include <omp.h>
#include <stdio.h>

int found[64];

int main(void)
{
    #pragma omp parallel
    {
        found[omp_get_thread_num()] = 1;
        if (omp_get_thread_num() == 0) {
            #pragma omp cancel parallel
        }
        #pragma omp cancellation point parallel
    }
    printf("%d\n", found[0]);
}
