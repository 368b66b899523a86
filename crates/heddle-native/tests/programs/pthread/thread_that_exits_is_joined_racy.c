// expect: race 12 28
// flags: -pthread
// The value written before pthread_exit is read before the join.

#include <pthread.h>

int result;

void deeper(int depth)
{
    if (depth == 0) {
        result = 5;
        pthread_exit(0);
    }
    deeper(depth - 1);
}

void *work(void *argument)
{
    deeper(3);
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    int seen = result;
    pthread_join(thread, 0);
    return seen < 0;
}
