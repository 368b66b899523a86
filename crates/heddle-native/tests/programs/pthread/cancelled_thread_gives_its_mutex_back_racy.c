// expect: race 16 41
// flags: -pthread
// The cleanup handler of a cancelled thread unlocks, and then writes.

#include <pthread.h>
#include <unistd.h>

int shared, waiting;
pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t never = PTHREAD_COND_INITIALIZER;

void clean_up(void *argument)
{
    (void)argument;
    pthread_mutex_unlock(&mutex);
    shared++;
}

void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    waiting = 1;
    pthread_cleanup_push(clean_up, 0);
    for (;;)
        pthread_cond_wait(&never, &mutex);
    pthread_cleanup_pop(0);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    for (int ready = 0; !ready;) {
        pthread_mutex_lock(&mutex);
        ready = waiting;
        pthread_mutex_unlock(&mutex);
    }
    pthread_cancel(thread);
    pthread_mutex_lock(&mutex);
    shared++;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, 0);
}
