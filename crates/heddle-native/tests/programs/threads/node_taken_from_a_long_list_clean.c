// expect: clean
// flags: -O1 -pthread
// compilers: clang,gcc
// A node far down a list is taken off in a section, and what was it is used outside.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { NODES = 400, MIDDLE = 300 };

struct node {
    int value;
    struct node *next;
};

static struct node *head;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long most;

static void *walk(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    long length = 0;
    for (struct node *node = head; node; node = node->next)
        length += node->value >= 0;
    if (length > most)
        most = length;
    pthread_mutex_unlock(&mutex);
    return 0;
}

static void *take(void *unused)
{
    (void)unused;
    usleep(50000);
    pthread_mutex_lock(&mutex);
    struct node *before = head;
    for (int i = 0; i < MIDDLE; i++)
        before = before->next;
    struct node *node = before->next;
    before->next = node->next;
    pthread_mutex_unlock(&mutex);
    node->value = -1;
    free(node);
    return 0;
}

int main(void)
{
    for (int i = 0; i < NODES; i++) {
        struct node *node = malloc(sizeof *node);
        *node = (struct node){i, head};
        head = node;
    }
    pthread_t walker, taker;
    pthread_create(&walker, 0, walk, 0);
    pthread_create(&taker, 0, take, 0);
    pthread_join(walker, 0);
    pthread_join(taker, 0);
    printf("%ld\n", most);
}
