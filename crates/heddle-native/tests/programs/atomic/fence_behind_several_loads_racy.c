// expect: race 19 31
// flags: -pthread -O1
// compilers: clang,gcc
// What is written after both flags is not released by either.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int first, second;
static int early;
static volatile int late;

static void *work(void *argument)
{
    early = 1;
    atomic_store_explicit(&first, 1, memory_order_release);
    atomic_store_explicit(&second, 1, memory_order_release);
    late = 2;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    while (!atomic_load_explicit(&second, memory_order_relaxed)
        || !atomic_load_explicit(&first, memory_order_relaxed))
        sched_yield();
    atomic_thread_fence(memory_order_acquire);
    int sum = early + late;
    pthread_join(thread, 0);
    return sum > 3;
}
