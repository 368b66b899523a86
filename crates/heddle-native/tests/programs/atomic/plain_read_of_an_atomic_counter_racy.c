// expect: race 11 17
// flags: -pthread
// The counter is read without an atomic operation.

#include <pthread.h>

int count, seen;

void *first(void *argument)
{
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    return argument;
}

void *second(void *argument)
{
    seen = count;
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
