// expect: possible 19 35
// flags: -pthread -O3
// compilers: clang,gcc
// The flag is atomic.

#include <pthread.h>
#include <unistd.h>

static _Atomic int flag;
static int value;

__attribute__((noinline)) static void raise_flag(void)
{
    flag = 1;
}

__attribute__((noinline)) static void set_value(void)
{
    value = 1;
}

static void *set(void *argument)
{
    set_value();
    raise_flag();
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
    return value != 2;
}
