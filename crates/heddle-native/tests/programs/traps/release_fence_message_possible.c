// expect: possible 25 32
// flags: -fopenmp
// threads: 2,4
// Fences make the relaxed flag a hand-over, in this run.

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
            __atomic_thread_fence(__ATOMIC_ACQUIRE);
            use(data);
        }
    }
    printf("%d\n", data);
}
