// expect: clean
// flags: -pthread
// The creator writes its variable again when the other thread is over.

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
    pthread_join(thread, NULL);
    mine = 2;
}
