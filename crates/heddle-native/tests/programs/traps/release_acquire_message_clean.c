// expect: clean
// flags: -fopenmp
// threads: 2,4
// Nothing but the atomic itself carries the message.

#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

int flag;

int main(void)
{
    omp_set_dynamic(0);
    int got = 0;
    #pragma omp parallel num_threads(2) shared(got)
    {
        if (omp_get_thread_num() == 0) {
            __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
        } else {
            while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0)
                sched_yield();
            got = 1;
        }
    }
    printf("%d\n", got ? 1 : 1);
}
