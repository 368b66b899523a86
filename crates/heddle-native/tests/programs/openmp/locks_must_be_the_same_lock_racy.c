// expect: race 22 28
// flags: -fopenmp
// threads: 1,2,4,16
// Each task takes a lock, but not the same one.

#include <omp.h>
#include <stdio.h>

int x;
omp_lock_t lock[2];

int main(void)
{
    omp_init_lock(&lock[0]);
    omp_init_lock(&lock[1]);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            omp_set_lock(&lock[0]);
            x += 1;
            omp_unset_lock(&lock[0]);
        }
        #pragma omp task
        {
            omp_set_lock(&lock[1]);
            x += 2;
            omp_unset_lock(&lock[1]);
        }
    }
    puts("done");
}
