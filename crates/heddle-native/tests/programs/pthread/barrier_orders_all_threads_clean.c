// expect: clean
// flags: -pthread
// The neighbour's element is read on the other side of the barrier, round after round.

#include <pthread.h>

int values[4], sums[4];
pthread_barrier_t barrier;

void *work(void *argument)
{
    long me = (long)argument;
    for (int round = 0; round < 3; round++) {
        values[me] = round;
        pthread_barrier_wait(&barrier);
        sums[me] += values[(me + 1) % 4];
        pthread_barrier_wait(&barrier);
    }
    return 0;
}

int main(void)
{
    pthread_t threads[4];
    pthread_barrier_init(&barrier, 0, 4);
    for (long i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    pthread_barrier_destroy(&barrier);
}
