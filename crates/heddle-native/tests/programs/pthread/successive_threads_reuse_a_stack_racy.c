// expect: race 13 13
// flags: -pthread
// Each thread writes a variable on the first thread's stack that is still alive.

#include <pthread.h>
#include <stddef.h>

int sums[64];

void fill(int *values, int with)
{
    for (int i = 0; i < 100; i++)
        values[i] = with + i;
}

void *work(void *argument)
{
    int *values = argument;
    fill(values, 3);
    return NULL;
}

int main(void)
{
    int shared[100];
    for (int round = 0; round < 8; round++) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], 0, work, shared);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], 0);
    }
}
