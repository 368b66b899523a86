// expect: race 12 22
// flags: -pthread
// A detached thread still writes while the main task reads.

#include <pthread.h>
#include <unistd.h>

int shared, own;

void *work(void *argument)
{
    shared = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, work, 0);
    pthread_detach(thread);
    usleep(50000);
    return shared < 0;
}
