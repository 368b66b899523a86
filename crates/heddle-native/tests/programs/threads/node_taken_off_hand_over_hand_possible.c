// expect: possible 26 39
// flags: -O1 -pthread
// compilers: clang,gcc
// The node's lock is taken before that of the list is given back, so whoever has found the node is through with it
// before another can take it off.

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct node {
    pthread_mutex_t lock;
    int value;
};

static pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER;
static struct node node = {PTHREAD_MUTEX_INITIALIZER, 7}, *first = &node;
static int seen;

static void *looks(void *unused)
{
    pthread_mutex_lock(&list);
    struct node *found = first;
    pthread_mutex_lock(&found->lock);
    pthread_mutex_unlock(&list);
    seen = found->value;
    pthread_mutex_unlock(&found->lock);
    return unused;
}

static void *takes(void *unused)
{
    pthread_mutex_lock(&list);
    struct node *mine = first;
    pthread_mutex_lock(&mine->lock);
    first = NULL;
    pthread_mutex_unlock(&mine->lock);
    pthread_mutex_unlock(&list);
    mine->value = 9;
    return unused;
}

int main(void)
{
    pthread_t one, other;
    pthread_create(&one, NULL, looks, NULL);
    usleep(100000);
    pthread_create(&other, NULL, takes, NULL);
    pthread_join(one, NULL);
    pthread_join(other, NULL);
    printf("%d\n", seen);
    return 0;
}
