// expect: race
// flags: -O2 -pthread
// compilers: clang,gcc
// They do read it.

#include <pthread.h>
#include <stdio.h>

static int threshold, data[1000];
static long sums[3];

static void *work(void *argument)
{
    long me = (long)argument;
    if (me == 0) {
        threshold = 5;
        return 0;
    }
    for (int i = 0; i < 1000; i++)
        if (data[i] >= 0)
            sums[me] += threshold;
    return 0;
}

int main(void)
{
    pthread_t threads[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], 0);
    printf("%d\n", threshold > 0);
}
