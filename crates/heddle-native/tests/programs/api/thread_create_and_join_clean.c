// expect: clean
// flags: -pthread
// threads: 1
// It reads after the join.

#include <pthread.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;

static void *run(void *unused)
{
    x = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    use(x);
    printf("%d\n", x);
}
