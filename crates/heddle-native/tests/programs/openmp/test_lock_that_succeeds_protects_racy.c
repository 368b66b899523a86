// expect: race 22 27
// flags: -fopenmp
// threads: 1,2,4,16
// The second task writes whether or not it got the lock.

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
            x += 2;
        }
    }
    puts("done");
}
