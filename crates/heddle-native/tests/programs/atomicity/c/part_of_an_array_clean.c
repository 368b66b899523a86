// expect: clean
// flags: -std=c99 -Wextra -pedantic
// compilers: clang,gcc
// threads: 1,4
// The second half of the array is declared, and the first one updated in two sections.

#include <heddle.h>
#include <stdio.h>

static int table[8];
static heddle_lock lock = HEDDLE_LOCK_INIT;

static void count(long index, void *argument)
{
    int *element = &table[index % 4];
    (void)argument;
    heddle_lock_acquire(&lock);
    int old = *element;
    heddle_lock_release(&lock);
    heddle_lock_acquire(&lock);
    *element = old + 1;
    heddle_lock_release(&lock);
}

int main(void)
{
    HEDDLE_ATOMIC_RANGE(&table[4], 4);
    heddle_parallel_for(0, 8, count, NULL);
    printf("%d\n", table[3]);
    return 0;
}
