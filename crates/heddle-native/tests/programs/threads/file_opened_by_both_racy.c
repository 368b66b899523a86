// expect: race
// flags: -O2 -pthread
// compilers: clang,gcc
// The data is written behind it.

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
    
    if (write(ends[1], &byte, 1) != 1) abort();
    data = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    char byte;
    char name[] = "/tmp/heddle-XXXXXX"; ends[0] = mkstemp(name); ends[1] = open(name, O_WRONLY); unlink(name);
    pthread_create(&thread, 0, work, 0);
    while (pread(ends[0], &byte, 1, 0) != 1);
    printf("%d\n", data);
    pthread_join(thread, 0);
}
