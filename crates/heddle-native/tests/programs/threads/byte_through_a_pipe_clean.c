// expect: clean
// flags: -O2 -pthread
// compilers: clang,gcc
// The byte comes out of the pipe after it went in.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

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
    if (pipe(ends)) abort();
    pthread_create(&thread, 0, work, 0);
    if (read(ends[0], &byte, 1) != 1) abort();
    printf("%d\n", data);
    pthread_join(thread, 0);
}
