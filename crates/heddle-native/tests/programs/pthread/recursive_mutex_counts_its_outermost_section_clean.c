// expect: clean
// flags: -pthread
// The second access comes after an inner unlock, with the mutex still held.

#define _GNU_SOURCE
#include <pthread.h>

int shared;
pthread_mutex_t mutex = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
