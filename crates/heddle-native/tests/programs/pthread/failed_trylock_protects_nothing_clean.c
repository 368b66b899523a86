// expect: clean
// flags: -pthread
// Writes only if it got the mutex.

#include <pthread.h>

int shared;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *work(void *argument)
{
    if (pthread_mutex_trylock(&mutex) == 0) {
        shared++;
        pthread_mutex_unlock(&mutex);
    }
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
