// expect: clean
// flags: -pthread
// threads: 1
// Every thread has its own argument.

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
    int arguments[4];
    for (int i = 0; i < 4; i++) {
        arguments[i] = i;
        pthread_create(&threads[i], NULL, run, &arguments[i]);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
    puts("done");
}
