// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// After the inner unset the lock is still held.

#include <omp.h>
#include <stdio.h>

int x;
omp_nest_lock_t lock;

int main(void)
{
    omp_init_nest_lock(&lock);
    #pragma omp parallel
    #pragma omp single
    for (int i = 0; i < 2; i++) {
        #pragma omp task
        {
            omp_set_nest_lock(&lock);
            omp_set_nest_lock(&lock);
            omp_unset_nest_lock(&lock);
            x += 1;
            omp_unset_nest_lock(&lock);
        }
    }
    omp_destroy_nest_lock(&lock);
    printf("%d\n", x);
}
