// expect: clean
// flags: -pthread
// Both threads take the same spin lock.

#include <pthread.h>

int shared;
pthread_spinlock_t locks[2];

void *work(void *argument)
{
    pthread_spinlock_t *lock = &locks[0];
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
