// expect: race 20 25
// flags: -fopenmp
// threads: 2,4
// A relaxed flag orders nothing.

#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int data, flag;

int main(void)
{
    omp_set_dynamic(0);
    int got = 0;
    #pragma omp parallel num_threads(2) shared(got)
    {
        if (omp_get_thread_num() == 0) {
            data = 1;
            __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
        } else {
            while (__atomic_load_n(&flag, __ATOMIC_RELAXED) == 0)
                sched_yield();
            got = data;
        }
    }
    printf("%d\n", got ? 1 : 1);
}
