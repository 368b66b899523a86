// expect: race
// flags: -O2 -pthread
// compilers: clang,gcc
// The data is written behind it.

#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int ends[2], data;

static void *work(void *argument)
{
    char byte = 1;
    
    FILE *out = fdopen(ends[1], "w"); (void)byte; fputs("go\n", out); fflush(out);
    data = 1;
    return argument;
}

int main(void)
{
    pthread_t thread;
    char byte;
    if (pipe(ends)) abort(); (void)byte;
    pthread_create(&thread, 0, work, 0);
    char line[8]; FILE *in = fdopen(ends[0], "r"); if (!fgets(line, 8, in)) abort();
    printf("%d\n", data);
    pthread_join(thread, 0);
}
