// expect: clean
// flags: -pthread
// threads: 1
// Threads one after another get the same stack memory.

#include <pthread.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}


static void *run(void *argument)
{
    int array[64];
    for (int i = 0; i < 64; i++)
        array[i] = i;
    use(array[63]);
    return argument;
}

int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) {
        pthread_create(&threads[i], NULL, run, NULL);
        pthread_join(threads[i], NULL);
    }
    puts("done");
}
