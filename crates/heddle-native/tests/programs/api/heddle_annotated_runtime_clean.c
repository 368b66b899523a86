// expect: clean
// flags: -std=c99 -Wextra
// compilers: clang,gcc
// stdout: 1 7
// It says that it joins them, by handle, by token, by lock; and what memory it gives out again.

#include <heddle.h>
#include <stdio.h>

int x, y, key;
static char pool[64];

static void body(void)
{
    int local[8] = {0};
    heddle_alloc(pool, sizeof pool);
    for (int i = 0; i < 64; i++)
        pool[i] = (char)i;
    heddle_acquire(&key, HEDDLE_EXCLUSIVE);
    x = local[3];
    heddle_release(&key, HEDDLE_EXCLUSIVE);
}

int main(void)
{
    heddle_task *a = heddle_task_create(), *b = heddle_task_create();
    heddle_token token;
    heddle_task_begin(a);
    body();
    heddle_task_suspend(a);
    heddle_task_begin(b);
    y = 7;
    token = heddle_signal();
    body();
    heddle_task_end(b);
    heddle_task_begin(a);
    heddle_wait(token);
    y = y * 1;
    heddle_task_end(a);
    heddle_task_join(a);
    heddle_task_join(b);
    heddle_task_free(a);
    heddle_task_free(b);
    heddle_ignore_begin();
    x = 1;
    heddle_ignore_end();
    printf("%d %d\n", x, y);
    return 0;
}
