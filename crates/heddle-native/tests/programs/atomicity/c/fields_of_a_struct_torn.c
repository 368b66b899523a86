// expect: atomicity 25 36 28
// flags: -std=c99 -Wextra -pedantic
// compilers: clang,gcc
// threads: 1,4
// Width and height are changed in two sections, and read between them.

#include <heddle.h>
#include <stdio.h>

static struct {
    int width, border, height;
} window;
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
    window.width = 20;
    heddle_lock_release(&lock);
    heddle_lock_acquire(&lock);
    window.height = 10;
    heddle_lock_release(&lock);
}

static void single(void *argument)
{
    (void)argument;
    heddle_lock_acquire(&lock);
    use(window.width * window.height);
    heddle_lock_release(&lock);
}

int main(void)
{
    HEDDLE_ATOMIC_GROUP(window.width, window.height);
    heddle_finish_begin();
    heddle_async(pair, NULL);
    heddle_async(single, NULL);
    heddle_finish_end();
    return 0;
}
