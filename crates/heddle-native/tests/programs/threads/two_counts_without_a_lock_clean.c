// expect: clean
// flags: -pthread
// compilers: clang,gcc
// Both counts are changed under one lock.

#include <pthread.h>

static int first, second;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *work(void *argument)
{
    for (int i = 0; i < 100; i++) {
        pthread_mutex_lock(&mutex);
        first++;
        second++;
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
    return first + second < 4;
}
