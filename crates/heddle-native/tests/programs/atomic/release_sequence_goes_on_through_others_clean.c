// expect: clean
// flags: -pthread
// The data is written before the threads are made.

#include <pthread.h>
#include <sched.h>

int data, flag, seen;

void wait_for(int value)
{
    while (__atomic_load_n(&flag, __ATOMIC_RELAXED) < value)
        sched_yield();
}

void *first(void *argument)
{
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return argument;
}

void *second(void *argument)
{
    wait_for(1);
    __atomic_fetch_add(&flag, 1, __ATOMIC_RELAXED);
    return argument;
}

void *third(void *argument)
{
    wait_for(2);
    __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
    seen = data;
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    data = 1;
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_create(&threads[2], 0, third, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
