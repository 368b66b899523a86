// expect: clean
// flags: -pthread
// Reads under a lock held for reading, writes under one held for writing.

#define _GNU_SOURCE
#include <pthread.h>

int shared, seen[2];
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

void *work(void *argument)
{
    int number = argument != 0;
    pthread_rwlock_rdlock(&lock);
    seen[number] = number;
    seen[number] = shared;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
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
