// expect: race 20 28
// flags: -fopenmp
// threads: 1,2,4,16
// Each task passes through the lock, but the writes are outside and nothing flows through it.

#include <omp.h>
#include <stdio.h>

int x;
omp_lock_t lock;

int main(void)
{
    omp_init_lock(&lock);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            x = 1;
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        }
        #pragma omp task
        {
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            x = 2;
        }
    }
    puts("done");
}
