// expect: clean
// flags: -pthread
// threads: 1
// The reader holds the lock shared, the writer exclusive.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

int x;
pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;

static void *writer(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    x += 1;
    pthread_rwlock_unlock(&lock);
    return unused;
}

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&lock);
    use(x);
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t first, second;
    pthread_create(&first, NULL, writer, NULL);
    pthread_create(&second, NULL, reader, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
    printf("%d\n", x);
}
