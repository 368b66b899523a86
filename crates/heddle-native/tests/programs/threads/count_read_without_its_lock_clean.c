// expect: clean
// flags: -pthread
// compilers: clang,gcc
// The count is read under the lock under which it is written, and the parts, too.

#include <pthread.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int alive = 1;
static int parts[4];

static void *work(void *argument)
{
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 4; i++)
        parts[i] = i;
    alive = 0;
    pthread_mutex_unlock(&mutex);
    return argument;
}

static int collect(void)
{
    int sum = 0;
    pthread_mutex_lock(&mutex);
    for (int i = 0; i < 4; i++)
        sum += parts[i];
    pthread_mutex_unlock(&mutex);
    return sum;
}

static void await(void)
{
    int is_alive = 1;
    while (is_alive) {
        pthread_mutex_lock(&mutex);
        is_alive = alive;
        pthread_mutex_unlock(&mutex);
    }
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    await();
    int sum = collect();
    pthread_join(thread, 0);
    return sum != 6;
}
