// expect: possible 20 32
// flags: -O1 -pthread -std=gnu11
// compilers: clang,gcc
// Whoever sees the flag and then gets the lock comes after all of the section that raised it.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_int done;
static int value;

static void *ends(void *unused)
{
    pthread_mutex_lock(&lock);
    atomic_store_explicit(&done, 1, memory_order_release);
    sched_yield();
    value = 1;
    pthread_mutex_unlock(&lock);
    return unused;
}

static void await(void)
{
    while (!atomic_load_explicit(&done, memory_order_acquire)) {
        sched_yield();
    }
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    value = 2;
}

int main(void)
{
    pthread_t other;
    pthread_create(&other, NULL, ends, NULL);
    await();
    pthread_join(other, NULL);
    printf("%d\n", value);
    return 0;
}
