// expect: race 13 23
// flags: -pthread
// The creator goes on writing its variable while the other thread reads it.

#include <pthread.h>
#include <stdio.h>

static _Thread_local int mine;

static void *borrower(void *argument)
{
    int *lent = argument;
    printf("%d\n", *lent);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    mine = 1;
    if (pthread_create(&thread, NULL, borrower, &mine) != 0)
        return 2;
    mine = 2;
    pthread_join(thread, NULL);
}
