// expect: certain race 26 35
// flags: -pthread -O2
// compilers: clang,gcc
// Only the pointer races for certain: the object was there before it was assigned.

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

struct object
{
    int value;
};

static struct object *volatile shared;

static struct object *make(void)
{
    struct object *made = malloc(sizeof *made);
    made->value = 1;
    return made;
}

static void *publish(void *argument)
{
    shared =
        make();
    return argument;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, 0, publish, 0);
    while (!shared)
        usleep(1000);
    shared->value++;
    pthread_join(thread, 0);
    return shared->value != 2;
}
