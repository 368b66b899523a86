// expect: race 18 18
// flags: -pthread -mcx16 -latomic
// One of four counters is plain.

#include <pthread.h>
#include <stdatomic.h>

unsigned char narrow;
_Atomic unsigned short two;
_Atomic unsigned four;
_Atomic unsigned long eight;
struct pair { long a, b; };
_Atomic struct pair sixteen;

void count(void)
{
    for (int i = 0; i < 10; i++) {
        narrow++;
        two ^= 3;
        four -= 5;
        eight |= 8;
        struct pair old = atomic_load(&sixteen), next;
        do {
            next = old;
            next.a++;
        } while (!atomic_compare_exchange_weak(&sixteen, &old, next));
    }
}

void *first(void *argument)
{
    count();
    return argument;
}

void *second(void *argument)
{
    count();
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    pthread_create(&threads[1], 0, second, 0);
    pthread_join(threads[0], 0);
    pthread_join(threads[1], 0);
}
