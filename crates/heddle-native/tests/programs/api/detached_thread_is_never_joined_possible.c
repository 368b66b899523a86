// expect: possible 21 33
// flags: -pthread
// threads: 1
// The acquire load saw the detached thread's release store in this run.

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
    __atomic_store_n(&done, 1, __ATOMIC_RELEASE);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_detach(thread);
    while (!__atomic_load_n(&done, __ATOMIC_ACQUIRE))
        sched_yield();
    use(data);
    puts("done");
}
