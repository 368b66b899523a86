// expect: clean
// flags: -pthread
// The counter is read with a relaxed load.

#include <pthread.h>

int count, seen;

void *first(void *argument)
{
    __atomic_fetch_add(&count, 1, __ATOMIC_RELAXED);
    return argument;
}

void *second(void *argument)
{
    seen = __atomic_load_n(&count, __ATOMIC_RELAXED);
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
