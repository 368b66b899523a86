// expect: clean
// flags: -O2 -pthread
// compilers: clang,gcc
// Only one thread counts. The optimiser must not load the counter for the others.

#include <pthread.h>
#include <stdio.h>

static int progress, data[1000];
static long sums[3];

static void *work(void *argument)
{
    long me = (long)argument;
    for (int i = 0; i < 1000; i++) {
        sums[me] += data[i];
        if (me == 0)
            progress++;
    }
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    printf("%d\n", progress > 0);
}
