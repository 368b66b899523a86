// expect: clean
// flags: -O2 -pthread
// compilers: clang,gcc
// That there is a byte means that it was written.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <poll.h>

static int ends[2], data;

static void *work(void *argument)
{
    char byte = 1;
    data = 1;
    if (write(ends[1], &byte, 1) != 1) abort();
    
    return argument;
}

int main(void)
{
    pthread_t thread;
    char byte;
    if (pipe(ends)) abort(); (void)byte;
    pthread_create(&thread, 0, work, 0);
    struct pollfd file = {ends[0], POLLIN, 0}; while (poll(&file, 1, -1) != 1);
    printf("%d\n", data);
    pthread_join(thread, 0);
}
