// expect: race 15 15
// flags: -pthread
// Writes whether or not it got the mutex.

#include <pthread.h>

int shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *work(void *argument)
{
    int got = pthread_mutex_trylock(&mutex) == 0;
    if (got)
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
