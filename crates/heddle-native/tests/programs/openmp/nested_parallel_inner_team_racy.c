// expect: race 20 20
// flags: -fopenmp
// threads: 2,4
// The threads of each inner team share that team's variable.

#include <omp.h>
#include <stdio.h>

int out[2][2];

int main(void)
{
    omp_set_dynamic(0);
    omp_set_max_active_levels(2);
    #pragma omp parallel num_threads(2)
    {
        int outer = omp_get_thread_num();
        #pragma omp parallel num_threads(2)
        {
            out[outer][0] = 1;
        }
    }
    puts("done");
}
