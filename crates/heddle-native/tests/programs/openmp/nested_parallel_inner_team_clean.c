// expect: clean
// flags: -fopenmp
// threads: 2,4
// The inner threads write their own elements.

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
            out[outer][omp_get_thread_num()] = 1;
        }
    }
    printf("%d\n", out[0][0] + out[0][1] + out[1][0] + out[1][1]);
}
