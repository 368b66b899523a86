// expect: race 21 33
// flags: -pthread
// threads: 1
// Nothing orders a detached thread's write before the read, whatever the flag says without acquire.

#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int data, done;

static void *run(void *unused)
{
    data = 1;
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
        sched_yield();
    use(data);
    puts("done");
}
