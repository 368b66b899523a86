// expect: clean
// flags: -pthread
// Initialises once.

#include <pthread.h>

int table, seen[2];
pthread_once_t once = PTHREAD_ONCE_INIT;

void fill(void)
{
    table = 7;
}

void *work(void *argument)
{
    pthread_once(&once, fill);
    seen[argument != 0] = table;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
