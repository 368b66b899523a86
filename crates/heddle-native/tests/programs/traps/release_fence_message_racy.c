// expect: race 25 31
// flags: -fopenmp
// threads: 2,4
// Only the writer has a fence; the reader has none.

#define _GNU_SOURCE
#include <omp.h>
#include <sched.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int data, flag;

int main(void)
{
    omp_set_dynamic(0);
    #pragma omp parallel num_threads(2)
    {
        if (omp_get_thread_num() == 0) {
            data = 1;
            __atomic_thread_fence(__ATOMIC_RELEASE);
            __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
        } else {
            while (__atomic_load_n(&flag, __ATOMIC_RELAXED) == 0)
                sched_yield();
            use(data);
        }
    }
    puts("done");
}
