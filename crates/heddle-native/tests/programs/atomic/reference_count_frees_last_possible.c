// expect: possible 17 18 19
// flags: -pthread
// The count is dropped by acquire-release operations: whoever is last comes after the others.

#include <pthread.h>
#include <stdlib.h>

struct object {
    int count, parts[2];
};

enum { order = __ATOMIC_ACQ_REL };
struct object *shared;

void *work(void *argument)
{
    shared->parts[argument != 0] = 1;
    if (__atomic_sub_fetch(&shared->count, 1, order) == 0)
        free(shared);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    shared = malloc(sizeof *shared);
    shared->count = 2;
    for (long i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
}
