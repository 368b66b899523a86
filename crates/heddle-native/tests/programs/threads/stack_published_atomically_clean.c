// expect: clean
// flags: -pthread
// compilers: clang,gcc
// What lies on the stack of a called function is published by an atomic store, which nobody else has called before. It is
// left alone afterwards.

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static _Atomic(int *) published;
static atomic_int is_read;

static void *look(void *result)
{
    int *values;
    while ((values = atomic_load_explicit(&published, memory_order_acquire)) == NULL)
        ;
    *(int *)result = values[0] + values[7];
    atomic_store_explicit(&is_read, 1, memory_order_release);
    return NULL;
}

__attribute__((noinline)) static int publish(int value)
{
    int values[8];
    for (int i = 0; i < 8; i++)
        values[i] = value + i;
    atomic_store_explicit(&published, values, memory_order_release);
    while (!atomic_load_explicit(&is_read, memory_order_acquire))
        ;
    return values[1];
}

int main(void)
{
    int result = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, look, &result);
    int sum = publish(3);
    pthread_join(thread, NULL);
    printf("%d\n", sum + result > 0);
    return 0;
}
