// expect: race 16 16
// flags: -pthread
// Writes under a lock held for reading.

#define _GNU_SOURCE
#include <pthread.h>

int shared, seen[2];
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *work(void *argument)
{
    int number = argument != 0;
    pthread_rwlock_rdlock(&lock);
    seen[number] = number;
    shared++;
    pthread_rwlock_unlock(&lock);
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
