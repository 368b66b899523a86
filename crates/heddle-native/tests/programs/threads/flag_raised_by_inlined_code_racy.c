// expect: certain race 14 33
// flags: -pthread -O2
// compilers: clang,gcc
// Only the flag races for certain, wherever the functions stand that write.

#include <pthread.h>
#include <unistd.h>

static volatile int flag;
static int value;

static inline void raise_flag(void)
{
    flag = 1;
}

static inline void set_value(void)
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
