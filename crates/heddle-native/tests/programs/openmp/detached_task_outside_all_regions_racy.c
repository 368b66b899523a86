// expect: race 14 25
// flags: -fopenmp -pthread
// threads: 1,4
// The wait comes too late.

#include <omp.h>
#include <pthread.h>
#include <stdio.h>

int data;

static void *complete(void *event)
{
    data = 1;
    omp_fulfill_event((omp_event_handle_t)event);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    omp_event_handle_t event;
    #pragma omp task detach(event) shared(thread)
    pthread_create(&thread, NULL, complete, (void *)event);
    printf("%d\n", data);
    #pragma omp taskwait
    pthread_join(thread, NULL);
}
