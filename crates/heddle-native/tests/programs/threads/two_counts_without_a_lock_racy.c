// expect: certain race 13 14
// flags: -pthread
// compilers: clang,gcc
// Both counts race for certain: what was read of the first decides nothing about the second.

#include <pthread.h>

static int first, second;

static void *work(void *argument)
{
    for (int i = 0; i < 100; i++) {
        first++;
        second++;
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return first + second < 4;
}
