// expect: atomicity x 16 42 24
// flags: -fopenmp
// threads: 1,4
// Each of two accesses takes the lock for itself.

#include <heddle.h>
#include <omp.h>
#include <stdio.h>

static int x;
static omp_nest_lock_t lock;

static int get(void)
{
    omp_set_nest_lock(&lock);
    int value = x;
    omp_unset_nest_lock(&lock);
    return value;
}

static void set(int value)
{
    omp_set_nest_lock(&lock);
    x = value;
    omp_unset_nest_lock(&lock);
}

int main(void)
{
    omp_init_nest_lock(&lock);
    HEDDLE_ATOMIC(x);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        {
            set(get() + 1);
        }
        #pragma omp task
        {
            omp_set_nest_lock(&lock);
            x = 7;
            omp_unset_nest_lock(&lock);
        }
    }
    omp_destroy_nest_lock(&lock);
    return 0;
}
