// expect: clean
// flags: -pthread
// The creator writes after the join.

#include <pthread.h>

int shared;

void *work(void *argument)
{
    shared = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    shared = 3;
    pthread_create(&thread, 0, work, 0);
    pthread_join(thread, 0);
    shared = 2;
}
