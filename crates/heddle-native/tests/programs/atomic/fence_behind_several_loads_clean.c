// expect: clean
// flags: -pthread -O1
// compilers: clang,gcc
// The fence acquires what both loads have seen; the flag that was set first is looked at last.

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
    late = 2;
    atomic_store_explicit(&second, 1, memory_order_release);
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
    return sum != 3;
}
