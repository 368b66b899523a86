// expect: race 13 20
// flags: -pthread
// One of the threads forgets the mutex.

#include <pthread.h>

long count;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

void *add(void *argument)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

void *reset(void *argument)
{
    count = 0;
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, add, 0);
    pthread_create(&threads[1], 0, reset, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
