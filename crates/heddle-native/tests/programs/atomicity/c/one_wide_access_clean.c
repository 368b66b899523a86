// expect: clean
// flags: -O2
// threads: 2,4
// A vector is read and written as a whole, by one task after the other.

#include <heddle.h>
#include <stdio.h>

typedef long pair __attribute__((vector_size(16)));

static pair items[64];

static void increase(void *share)
{
    for (int i = 0; i < 64; i++)
        items[i] = (pair){(long)share, i};
}

int main(void)
{
    HEDDLE_ATOMIC_RANGE(items, 64);
    // Words of one vector have different pasts.
    ((long *)items)[7] = 1;
    ((long *)items)[20] = 1;
    heddle_finish_begin();
    heddle_async(increase, (void *)1);
    heddle_finish_end();
    heddle_finish_begin();
    heddle_async(increase, (void *)2);
    heddle_finish_end();
    printf("%ld\n", items[3][1]);
    return 0;
}
