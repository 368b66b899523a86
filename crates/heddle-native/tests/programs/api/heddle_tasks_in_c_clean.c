// expect: clean
// flags: -std=c99 -Wextra -pedantic
// compilers: clang,gcc
// threads: 1,2,4
// stdout: 45 6 285 0
// The same, with the sync before; a parallel loop; annotations, which change nothing.

#include <heddle.h>
#include <stdio.h>

static int a[10], total, squares[10];
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

static void square(long index, void *argument)
{
    ((int *)argument)[index] = (int)(index * index);
}

static void *same(void *argument)
{
    return argument;
}

int main(void)
{
    int six = 6, sum = 0;
    HEDDLE_ATOMIC(total);
    HEDDLE_ATOMIC_RANGE(squares, 10);
    HEDDLE_ATOMIC_GROUP(six, sum);
    for (int i = 0; i < 10; i++)
        a[i] = i;
    heddle_finish_begin();
    for (int i = 0; i < 10; i++)
        heddle_async(add, &a[i]);
    heddle_finish_end();
    heddle_future *future = heddle_future_create(same, &six);
    HEDDLE_SPAWN(set, &a[0]);
    HEDDLE_SYNC;
    a[0] = *(int *)heddle_future_get(future);
    heddle_future_free(future);
    heddle_parallel_for(0, 10, square, squares);
    heddle_atomic_begin();
    for (int i = 0; i < 10; i++)
        sum += squares[i];
    heddle_atomic_end();
    heddle_cut();
    printf("%d %d %d %d\n", total, a[0], sum, heddle_lock_try(&lock) - 1);
    heddle_lock_release(&lock);
    return 0;
}
