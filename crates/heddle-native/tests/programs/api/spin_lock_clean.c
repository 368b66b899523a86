// expect: clean
// flags: -pthread
// threads: 1
// The update is inside the spin lock.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

int x;
pthread_spinlock_t lock;

static void *run(void *unused)
{
    pthread_spin_lock(&lock);
    x += 1;
    pthread_spin_unlock(&lock);
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
    printf("%d\n", x);
}
