// expect: clean
// flags: -pthread -O1
// compilers: clang,gcc
// The second addition goes on with what the first released, and the fence before them takes nothing away.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

static atomic_int count;
static int data;

static void *work(void *argument)
{
    atomic_thread_fence(memory_order_release);
    data = 1;
    atomic_fetch_add_explicit(&count, 1, memory_order_release);
    atomic_fetch_add_explicit(&count, 1, memory_order_relaxed);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    while (atomic_load_explicit(&count, memory_order_acquire) != 2)
        sched_yield();
    int seen = data;
    pthread_join(thread, 0);
    return seen != 1;
}
