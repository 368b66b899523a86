// expect: race
// flags: -O2 -pthread
// compilers: clang,gcc
// Each thread reads one of two variables in a loop, and writes the other.

#include <pthread.h>
#include <stdio.h>

static int first = 1, second = 2;

static void *work(void *argument)
{
    long me = (long)argument;
    int sum = 0;
    for (int i = 0; i < 100; i++)
        sum += me ? second : first;
    if (me)
        first = sum;
    else
        second = sum;
    return 0;
}

int main(void)
{
    pthread_t threads[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    printf("%d %d\n", first, second);
}
