// expect: atomicity x 24 33 27
// flags: -fopenmp
// compilers: clang,gcc
// threads: 1,4
// omp_lock_t, given back between read and write.

#include <heddle.h>
#include <omp.h>
#include <stdio.h>

static int x;
static omp_lock_t lock;

int main(void)
{
    omp_init_lock(&lock);
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            omp_set_lock(&lock);
            int old = x;
            omp_unset_lock(&lock);
            omp_set_lock(&lock);
            x = old + 1;
            omp_unset_lock(&lock);
        }
        #pragma omp task
        {
            omp_set_lock(&lock);
            x = 7;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    return 0;
}
