// expect: race 14 33
// flags: -std=c99 -Wextra
// compilers: clang,gcc
// A runtime of its own executes two tasks that it never joins.

#include <heddle.h>
#include <stdio.h>

int x;

static void body(void)
{
    int local[8] = {0};
    x = local[3];
}

static heddle_task *run(void)
{
    heddle_task *task = heddle_task_create();
    heddle_task_begin(task);
    body();
    heddle_task_end(task);
    return task;
}

int main(void)
{
    heddle_task *first = run(), *second;
    heddle_task_join(first);
    second = run();
    heddle_task_free(first);
    heddle_task_free(second);
    x = 1;
    printf("%d\n", x);
    return 0;
}
