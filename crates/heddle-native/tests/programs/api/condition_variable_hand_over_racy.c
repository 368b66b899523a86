// expect: race 25 37
// flags: -pthread
// threads: 1
// The writer changes the data after it signalled.

#include <pthread.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int data, ready;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *writer(void *unused)
{
    pthread_mutex_lock(&mutex);
    ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    data = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, writer, NULL);
    pthread_mutex_lock(&mutex);
    while (!ready)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    use(data);
    pthread_join(thread, NULL);
    puts("done");
}
