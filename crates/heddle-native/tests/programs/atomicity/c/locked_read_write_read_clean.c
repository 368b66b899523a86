// expect: clean
// flags: -std=c99 -Wextra -pedantic
// compilers: clang,gcc
// threads: 1,4
// The lock is held throughout.

#include <heddle.h>
#include <stdio.h>

static int x;
static heddle_lock lock = HEDDLE_LOCK_INIT;

static void use(int value)
{
    if (value == -12345)
        puts("never");
}

static void pair(void *argument)
{
    (void)argument;
    heddle_lock_acquire(&lock);
    use(x);
    use(x);
    heddle_lock_release(&lock);
}

static void single(void *argument)
{
    (void)argument;
    heddle_lock_acquire(&lock);
    x = 3;
    heddle_lock_release(&lock);
}

int main(void)
{
    HEDDLE_ATOMIC(x);
    heddle_finish_begin();
    heddle_async(pair, NULL);
    heddle_async(single, NULL);
    heddle_finish_end();
    return 0;
}
