// expect: race 15 15
// flags: -pthread
// threads: 1
// The spin lock is never taken.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int x;
pthread_spinlock_t lock;

static void *run(void *unused)
{
    x += 1;
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
    pthread_create(&first, NULL, run, NULL);
    pthread_create(&second, NULL, run, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    puts("done");
}
