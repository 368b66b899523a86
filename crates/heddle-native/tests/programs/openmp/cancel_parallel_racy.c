// expect: race 16 16
// flags: -fopenmp
// threads: 2,4,16
// env: OMP_CANCELLATION=false
// All threads store before one of them cancels the region.

#include <omp.h>
#include <stdio.h>

int found[64];

int main(void)
{
    #pragma omp parallel
    {
        found[0] = 1;
        if (omp_get_thread_num() == 0) {
            #pragma omp cancel parallel
        }
        #pragma omp cancellation point parallel
    }
    puts("done");
}
