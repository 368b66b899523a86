// expect: clean
// flags: -O2 -pthread
// compilers: clang,gcc
// A barrier of a mutex, a condition and a count.

#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int count, round_, values[3], sums[3];

static void barrier(void)
{
    pthread_mutex_lock(&mutex);
    int own = round_;
    if (++count == 3) {
        count = 0;
        round_++;
        pthread_cond_broadcast(&condition);
    } else {
        while (own == round_)
            pthread_cond_wait(&condition, &mutex);
    }
    pthread_mutex_unlock(&mutex);
}

static void *work(void *argument)
{
    long me = (long)argument;
    for (int i = 0; i < 5; i++) {
        values[me] = i;
        barrier();
        for (int k = 0; k < 3; k++)
            sums[me] += values[k];
        barrier();
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
    printf("%d\n", sums[0] > 0);
}
