// expect: clean
// flags: -O2 -pthread
// compilers: clang,gcc
// The counter was raised before it is read.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/eventfd.h>

static int ends[2], data;

static void *work(void *argument)
{
    char byte = 1;
    data = 1;
    (void)byte, eventfd_write(ends[0], 1);
    
    return argument;
}

int main(void)
{
    pthread_t thread;
    char byte;
    ends[0] = eventfd(0, 0), (void)byte;
    pthread_create(&thread, 0, work, 0);
    eventfd_t value; if (eventfd_read(ends[0], &value)) abort();
    printf("%d\n", data);
    pthread_join(thread, 0);
}
