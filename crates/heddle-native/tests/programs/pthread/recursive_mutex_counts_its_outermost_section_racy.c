// expect: race 15 18
// flags: -pthread
// The second access comes after the outermost unlock.

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
    pthread_mutex_unlock(&mutex);
    shared++;
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
