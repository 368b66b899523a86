// expect: certain race 15 21
// flags: -pthread -O1
// compilers: clang,gcc
// Only the flag races for certain: the thread that found it set came after what was written before it.

#include <pthread.h>
#include <unistd.h>

static volatile int flag;
static int value;

static void *set(void *argument)
{
    value = 1;
    flag = 1;
    return argument;
}

static int is_set(void)
{
    return flag;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!is_set())
        usleep(1000);
    value++;
    pthread_join(thread, 0);
    return value != 2;
}
