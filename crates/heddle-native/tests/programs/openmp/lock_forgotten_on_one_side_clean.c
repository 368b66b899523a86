// expect: clean
// flags: -fopenmp
// threads: 2,4,16
// Both sections take it.

#include <omp.h>
#include <stdio.h>

int x;

int main(void)
{
    omp_lock_t lock;
    omp_init_lock(&lock);
    #pragma omp parallel sections
    {
        #pragma omp section
        {
            omp_set_lock(&lock);
            x += 1;
            omp_unset_lock(&lock);
        }
        #pragma omp section
        {
            omp_set_lock(&lock);
            x += 2;
            omp_unset_lock(&lock);
        }
    }
    omp_destroy_lock(&lock);
    printf("%d\n", x);
}
