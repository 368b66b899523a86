// expect: certain race 14 15 23 25
// flags: -pthread -O2
// compilers: clang,gcc
// What is written below the flag is not what it stands for.

#include <pthread.h>
#include <unistd.h>

static volatile int flag;
static int value;

static void *set(void *argument)
{
    flag = 1;
    value = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, set, 0);
    while (!flag)
        usleep(1000);
    value++;
    pthread_join(thread, 0);
    return value == 0;
}
