// expect: race 16 16
// flags: -pthread
// threads: 1
// Both threads write under the shared side of the lock.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int x;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *run(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    x += 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, run, NULL);
    pthread_create(&second, NULL, run, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    puts("done");
}
