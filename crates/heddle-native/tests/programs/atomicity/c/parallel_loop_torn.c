// expect: atomicity 17 20
// flags: -std=c99 -Wextra -pedantic
// compilers: clang,gcc
// threads: 1,4
// Two iterations share an element, and update it in two sections.

#include <heddle.h>
#include <stdio.h>

static short table[10];
static heddle_lock lock = HEDDLE_LOCK_INIT;

static void count(long index, void *argument)
{
    (void)argument;
    heddle_lock_acquire(&lock);
    short old = table[index / 2];
    heddle_lock_release(&lock);
    heddle_lock_acquire(&lock);
    table[index / 2] = (short)(old + 1);
    heddle_lock_release(&lock);
}

int main(void)
{
    HEDDLE_ATOMIC_RANGE(table, 10);
    heddle_parallel_for(0, 20, count, NULL);
    printf("%d\n", table[3]);
    return 0;
}
