// expect: clean
// flags: -pthread
// The last thread gets the storage of the first, where another thread had been writing.

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static _Thread_local int mine;
static sem_t done;

static void *borrower(void *argument)
{
    *(int *)argument = 2;
    sem_post(&done);
    return NULL;
}

static void *lender(void *argument)
{
    pthread_t thread;
    mine = 1;
    if (pthread_create(&thread, NULL, borrower, &mine) == 0)
        pthread_detach(thread);
    sem_wait(&done);
    return argument;
}

static void *later(void *argument)
{
    mine = 3;
    return argument;
}

int main(void)
{
    pthread_t thread;
    sem_init(&done, 0, 0);
    if (pthread_create(&thread, NULL, lender, NULL) != 0)
        return 2;
    pthread_join(thread, NULL);
    if (pthread_create(&thread, NULL, later, NULL) != 0)
        return 2;
    pthread_join(thread, NULL);
    puts("done");
}
