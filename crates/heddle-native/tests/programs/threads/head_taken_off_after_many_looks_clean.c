// expect: clean
// flags: -O1 -pthread
// compilers: clang,gcc
// Many look at the head of a list before it is taken off; it is freed outside of the section.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { LOOKERS = 80 };

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *look(void *second)
{
    pthread_mutex_lock(&mutex);
    struct node *node = second ? head->next : head;
    long value = node->value;
    pthread_mutex_unlock(&mutex);
    return (void *)value;
}

static void *take(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++) {
        pthread_mutex_lock(&mutex);
        struct node *node = head;
        head = node->next;
        pthread_mutex_unlock(&mutex);
        node->value = -1;
        free(node);
    }
    return 0;
}

int main(void)
{
    for (int i = 0; i < 3; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){i, head};
        head = node;
    }
    pthread_t lookers[LOOKERS], taker;
    for (long i = 0; i < LOOKERS; i++)
        pthread_create(&lookers[i], 0, look, i == 0 ? &head : 0);
    pthread_create(&taker, 0, take, 0);
    long sum = 0;
    for (int i = 0; i < LOOKERS; i++) {
        void *value;
        pthread_join(lookers[i], &value);
        sum += (long)value;
    }
    pthread_join(taker, 0);
    printf("%ld\n", sum);
}
