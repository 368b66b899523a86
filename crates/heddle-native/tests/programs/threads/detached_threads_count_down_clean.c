// expect: clean
// flags: -O2 -pthread
// compilers: clang,gcc
// The main thread waits until all have counted down, under the mutex.

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int left = 4, results[4];

static void *work(void *argument)
{
    long me = (long)argument;
    results[me] = me;
    pthread_mutex_lock(&mutex);
    left--;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
    return 0;
}

int main(void)
{
    int sum = 0;
    for (long i = 0; i < 4; i++) {
        pthread_t thread;
        pthread_create(&thread, 0, work, (void *)i);
        pthread_detach(thread);
    }
    
    pthread_mutex_lock(&mutex);
    while (left)
        pthread_cond_wait(&condition, &mutex);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 4; i++)
        sum += results[i];
    printf("%d\n", sum >= 0);
}
