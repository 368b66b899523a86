// expect: certain race 20 35
// flags: -pthread
// compilers: clang,gcc
// The count is read in a race. What follows would not have happened had the thread not been done by then, and so
// races with nothing that the thread did before.

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static volatile int alive = 1;
static int parts[4];

static void *work(void *argument)
{
    for (int i = 0; i < 4; i++)
        parts[i] = i;
    pthread_mutex_lock(&mutex);
    // Under the lock, but it is not read under it.
    alive = 0;
    pthread_mutex_unlock(&mutex);
    return argument;
}

static int collect(void)
{
    int sum = 0;
    for (int i = 0; i < 4; i++)
        sum += parts[i];
    return sum;
}

static void await(void)
{
    while (alive)
        usleep(1000);
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
