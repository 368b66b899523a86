// expect: clean
// flags: -pthread -O1
// The second waits until the count says that the first has counted, whoever of them was first.

#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

static atomic_int done;
static int data;

static void *first(void *unused)
{
    data = 1;
    done++;
    return unused;
}

static void *second(void *unused)
{
    done++;
    while (done != 2)
        ;
    data = 2;
    return unused;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], 0, first, 0);
    usleep(20000);
    pthread_create(&threads[1], 0, second, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], 0);
    return done != 2 || !data;
}
