// expect: clean
// flags: -O2 -pthread
// compilers: clang,gcc
// The reader sees that the other end was closed.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <fcntl.h>

static int ends[2], data;

static void *work(void *argument)
{
    char byte = 1;
    data = 1;
    (void)byte, close(ends[1]);
    
    return argument;
}

int main(void)
{
    pthread_t thread;
    char byte;
    if (pipe2(ends, 0)) abort();
    pthread_create(&thread, 0, work, 0);
    if (read(ends[0], &byte, 1) != 0) abort();
    printf("%d\n", data);
    pthread_join(thread, 0);
}
