// expect: race 12 18
// flags: -pthread
// The exchange succeeds, beside a plain read.

#include <pthread.h>

int value = 1, seen;

void *first(void *argument)
{
    int expected = 1;
    __atomic_compare_exchange_n(&value, &expected, 2, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return argument;
}

void *second(void *argument)
{
    seen = value;
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
