// expect: race 25 31
// flags: -fopenmp
// threads: 2,4
// The sections read nothing from each other, so their order in this run proves nothing.

#include <omp.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int data, ready;
omp_lock_t lock;

int main(void)
{
    omp_set_dynamic(0);
    omp_init_lock(&lock);
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 1;
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
        } else {
            omp_set_lock(&lock);
            omp_unset_lock(&lock);
            use(data);
        }
    }
    puts("done");
}
