// expect: clean
// flags: -fopenmp
// threads: 1,2,4,16
// Both tasks hold the lock when they write.

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
            while (!omp_test_lock(&lock))
                ;
            x += 1;
            omp_unset_lock(&lock);
        }
        #pragma omp task
        {
            omp_set_lock(&lock);
            x += 2;
            omp_unset_lock(&lock);
        }
    }
    printf("%d\n", x);
}
