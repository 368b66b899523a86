// expect: race 14 14
// flags: -pthread
// Each thread takes a spin lock of its own.

#include <pthread.h>

int shared;
pthread_spinlock_t locks[2];

void *work(void *argument)
{
    pthread_spinlock_t *lock = &locks[argument != 0];
    pthread_spin_lock(lock);
    shared++;
    pthread_spin_unlock(lock);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_spin_init(&locks[i], PTHREAD_PROCESS_PRIVATE);
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
