// expect: race 14 14
// flags: -pthread
// One thread of C11 takes another mutex.

#include <threads.h>

int count, result;
mtx_t locks[2];

int work(void *argument)
{
    mtx_t *lock = &locks[argument != 0];
    mtx_lock(lock);
    count++;
    mtx_unlock(lock);
    return 3;
}

int main(void)
{
    thrd_t threads[2];
    for (long i = 0; i < 2; i++)
        mtx_init(&locks[i], mtx_plain);
    for (long i = 0; i < 2; i++)
        thrd_create(&threads[i], work, (void *)i);
    for (int i = 0; i < 2; i++) {
        int got;
        thrd_join(threads[i], &got);
        result += got;
    }
    return result != 6;
}
