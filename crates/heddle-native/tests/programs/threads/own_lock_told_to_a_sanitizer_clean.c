// expect: clean
// flags: -O1 -pthread
// compilers: clang,gcc
// A lock made of inline assembly, which no tool sees, is told by ThreadSanitizer's interface.

#include <pthread.h>
#include <sanitizer/tsan_interface.h>

static int word, count;

static void take(void)
{
    __tsan_mutex_pre_lock(&word, 0);
    int was = 1;
    while (was)
        __asm__ volatile("xchg %0, %1" : "+r"(was), "+m"(word) : : "memory");
    __tsan_mutex_post_lock(&word, 0, 0);
}

static void give_back(void)
{
    __tsan_mutex_pre_unlock(&word, 0);
    __asm__ volatile("movl $0, %0" : "=m"(word) : : "memory");
    __tsan_mutex_post_unlock(&word, 0);
}

static void *work(void *argument)
{
    for (int i = 0; i < 20; i++) {
        take();
        count++;
        give_back();
    }
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return count != 40;
}
