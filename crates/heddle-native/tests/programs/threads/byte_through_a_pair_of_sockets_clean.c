// expect: clean
// flags: -O2 -pthread
// compilers: clang,gcc
// What is received was sent before.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/socket.h>

static int ends[2], data;

static void *work(void *argument)
{
    char byte = 1;
    data = 1;
    if (send(ends[1], &byte, 1, 0) != 1) abort();
    
    return argument;
}

int main(void)
{
    pthread_t thread;
    char byte;
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends)) abort();
    pthread_create(&thread, 0, work, 0);
    if (recv(ends[0], &byte, 1, 0) != 1) abort();
    printf("%d\n", data);
    pthread_join(thread, 0);
}
