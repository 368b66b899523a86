// expect: possible
// flags: -O1 -pthread
// What a thread reads of the count was made by all who changed it: also by one whose change was tested at once,
// before another only added to it.

#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int count = 2, part, last;

static void *leave(void *argument)
{
    part = 1;
    pthread_mutex_lock(&mutex);
    last = --count == 0;
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *join(void *argument)
{
    usleep(100000);
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return argument;
}

static void *look(void *argument)
{
    usleep(200000);
    pthread_mutex_lock(&mutex);
    int seen = count;
    pthread_mutex_unlock(&mutex);
    if (seen == 2)
        part++;
    return argument;
}

int main(void)
{
    pthread_t threads[3];
    pthread_create(&threads[0], 0, leave, 0);
    pthread_create(&threads[1], 0, join, 0);
    pthread_create(&threads[2], 0, look, 0);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    return part + last == 12345;
}
