// expect: race 18 34
// flags: -pthread
// A plain store of another thread ends the release sequence.

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
    data = 1;
    __atomic_store_n(&flag, 1, __ATOMIC_RELEASE);
    return argument;
}

void *second(void *argument)
{
    wait_for(1);
    __atomic_store_n(&flag, 2, __ATOMIC_RELAXED);
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
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_create(&threads[2], 0, third, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
}
