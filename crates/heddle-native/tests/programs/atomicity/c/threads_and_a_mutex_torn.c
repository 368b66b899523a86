// expect: atomicity x 16 27 19
// flags: -pthread
// compilers: clang,gcc
// A thread gives the mutex back between read and write.

#include <heddle.h>
#include <pthread.h>
#include <stdio.h>

static int x;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *pair(void *argument)
{
    pthread_mutex_lock(&lock);
    int old = x;
    pthread_mutex_unlock(&lock);
    pthread_mutex_lock(&lock);
    x = old + 1;
    pthread_mutex_unlock(&lock);
    return argument;
}

static void *single(void *argument)
{
    pthread_mutex_lock(&lock);
    x = 7;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    HEDDLE_ATOMIC(x);
    pthread_create(&threads[0], NULL, pair, NULL);
    pthread_create(&threads[1], NULL, single, NULL);
    pthread_join(threads[0], NULL);
    pthread_join(threads[1], NULL);
    printf("%d\n", x > 0);
    return 0;
}
