// expect: clean
// flags: -pthread
// threads: 1
// They meet at the barrier first.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x[2];
pthread_barrier_t barrier;

static void *run(void *argument)
{
    int me = argument != NULL;
    x[me] = 1;
    pthread_barrier_wait(&barrier);
    use(x[1 - me]);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    pthread_barrier_init(&barrier, NULL, 2);
    pthread_create(&thread, NULL, run, x);
    run(NULL);
    pthread_join(thread, NULL);
    printf("%d\n", x[0] + x[1]);
}
