// expect: race 26 17
// flags: -pthread
// threads: 1
// The creator changes the argument that the thread reads.

#include <pthread.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

static void *run(void *argument)
{
    use(*(int *)argument);
    return NULL;
}

int main(void)
{
    pthread_t threads[4];
    int argument;
    for (int i = 0; i < 4; i++) {
        argument = i;
        pthread_create(&threads[i], NULL, run, &argument);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    puts("done");
}
