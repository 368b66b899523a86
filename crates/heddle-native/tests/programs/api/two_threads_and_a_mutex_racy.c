// expect: race 16 16
// flags: -pthread
// threads: 1
// The mutex is unlocked before the update.

#include <pthread.h>
#include <stdio.h>

int x;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    x += 1;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, run, NULL);
    pthread_create(&second, NULL, run, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    puts("done");
}
