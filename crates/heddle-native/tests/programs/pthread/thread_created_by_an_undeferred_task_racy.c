// expect: race 14 24
// flags: -fopenmp -pthread
// threads: 1,4
// The task is over, the thread it created is not.

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
    printf("%d\n", data);
    pthread_join(thread, NULL);
}
