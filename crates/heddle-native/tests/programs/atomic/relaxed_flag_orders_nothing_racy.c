// expect: race 12 21
// flags: -pthread
// A relaxed flag hands nothing over.

#include <pthread.h>
#include <sched.h>

int data, flag, seen;

void *first(void *argument)
{
    data = 1;
    __atomic_store_n(&flag, 1, __ATOMIC_RELAXED);
    return argument;
}

void *second(void *argument)
{
    while (__atomic_load_n(&flag, __ATOMIC_RELAXED) == 0)
        sched_yield();
    seen = data;
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
