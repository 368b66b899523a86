// expect: race 19 27
// flags: -pthread
// threads: 1
// The creator reads before it joins.

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
    use(x);
    pthread_join(thread, NULL);
    puts("done");
}
