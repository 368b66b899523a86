// expect: clean
// flags: -pthread
// Each thread has a place of its own.

#include <pthread.h>
#include <semaphore.h>

int data[2];
sem_t full;

void *produce(void *argument)
{
    sem_post(&full);
    data[1] = 1;
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
