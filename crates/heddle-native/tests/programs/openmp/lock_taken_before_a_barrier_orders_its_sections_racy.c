// expect: race 21 26
// flags: -fopenmp
// threads: 2,4,16
// The lock is taken after the barrier: either thread may be first.

#include <omp.h>
#include <stdio.h>

int value;
omp_lock_t gate;

int main(void)
{
    omp_init_lock(&gate);
#pragma omp parallel num_threads(2)
    {
        int me = omp_get_thread_num();
#pragma omp barrier
        if (me == 0) {
            omp_set_lock(&gate);
            value = 7;
            omp_unset_lock(&gate);
        } else {
            omp_set_lock(&gate);
            omp_unset_lock(&gate);
            value += 1;
        }
    }
    omp_destroy_lock(&gate);
    printf("%d\n", value);
    return 0;
}
