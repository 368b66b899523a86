// expect: possible 13 24
// flags: -pthread
// The data is written before the post that the reader waits for.

#include <pthread.h>
#include <semaphore.h>

int data[2];
sem_t full;

void *produce(void *argument)
{
    data[0] = 1;
    sem_post(&full);
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&full, 0, 0);
    pthread_create(&thread, 0, produce, 0);
    sem_wait(&full);
    int seen = data[0];
    pthread_join(thread, 0);
    return seen < 0;
}
