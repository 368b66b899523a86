// expect: clean
// flags: -fopenmp -pthread
// threads: 1,4
// The thread is joined before its result is read.

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

int data;

static void *work(void *argument)
{
    data = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    #pragma omp task if(0) shared(thread)
    pthread_create(&thread, NULL, work, NULL);
    usleep(50000);
    pthread_join(thread, NULL);
    printf("%d\n", data);
}
