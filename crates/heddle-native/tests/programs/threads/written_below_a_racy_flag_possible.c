// expect: possible 14 25
// flags: -pthread -O2
// compilers: clang,gcc
// The flag is atomic, and raised at last.

#include <pthread.h>
#include <unistd.h>

static _Atomic int flag;
static int value;

static void *set(void *argument)
{
    value = 1;
    flag = 1;
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
