// expect: race 14 14
// flags: -pthread
// threads: 1
// The array is a global, and both threads live at the same time.

#include <pthread.h>
#include <stdio.h>

int array[64];

static void *run(void *argument)
{
    for (int i = 0; i < 64; i++)
        array[i] = i;
    return argument;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, run, NULL);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    puts("done");
}
