// expect: race 22 39
// flags: -std=c99 -Wextra -pedantic
// compilers: clang,gcc
// threads: 1,2,4
// The finish does not cover the last access of the child's variable.

#include <heddle.h>
#include <stdio.h>

static int a[10], total;
static heddle_lock lock = HEDDLE_LOCK_INIT;

static void add(void *argument)
{
    heddle_lock_acquire(&lock);
    total += *(int *)argument;
    heddle_lock_release(&lock);
}

static void set(void *argument)
{
    *(int *)argument = 5;
}

static void *six(void *argument)
{
    return argument;
}

int main(void)
{
    int six_there = 6;
    heddle_finish_begin();
    for (int i = 0; i < 10; i++)
        heddle_async(add, &a[i]);
    heddle_finish_end();
    heddle_future *future = heddle_future_create(six, &six_there);
    heddle_spawn(set, &a[0]);
    a[0] = 6;
    heddle_sync();
    a[0] = *(int *)heddle_future_get(future);
    heddle_future_free(future);
    printf("%d %d\n", total, a[0]);
    return 0;
}
