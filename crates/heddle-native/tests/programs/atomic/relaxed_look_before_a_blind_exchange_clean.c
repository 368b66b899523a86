// expect: clean
// flags: -pthread -O1
// What a relaxed load has seen is acquired by an exchange whose value is not looked at.

#include <pthread.h>
#include <stdatomic.h>

static atomic_int ready;
static int data;

static void *producer(void *unused)
{
    data = 1;
    atomic_store_explicit(&ready, 1, memory_order_release);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, producer, 0);
    while (!atomic_load_explicit(&ready, memory_order_relaxed))
        ;
    atomic_exchange_explicit(&ready, 0, memory_order_acquire);
    data = 2;
    pthread_join(thread, 0);
    return data != 2;
}
