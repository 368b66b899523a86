// expect: clean
// flags: -pthread
// compilers: clang,gcc
// A job lies on the stack of whoever waits for it, and is put into a queue. The server has it
// until it is done.

#include <pthread.h>
#include <stdio.h>

struct job {
    int input, output, is_done;
    struct job *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job *queue;

static void *serve(void *count)
{
    for (int left = *(int *)count; left > 0; left--) {
        pthread_mutex_lock(&mutex);
        while (queue == NULL)
            pthread_cond_wait(&changed, &mutex);
        struct job *job = queue;
        queue = job->next;
        pthread_mutex_unlock(&mutex);
        job->output = 2 * job->input;
        pthread_mutex_lock(&mutex);
        job->is_done = 1;
        pthread_cond_broadcast(&changed);
        pthread_mutex_unlock(&mutex);
    }
    return NULL;
}

__attribute__((noinline)) static int ask(int value)
{
    struct job job = {.input = value};
    pthread_mutex_lock(&mutex);
    job.next = queue;
    queue = &job;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    while (!job.is_done)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
    return job.output;
}

int main(void)
{
    int count = 4, sum = 0;
    pthread_t thread;
    pthread_create(&thread, NULL, serve, &count);
    for (int round = 0; round < count; round++)
        sum += ask(round);
    pthread_join(thread, NULL);
    printf("%d\n", sum);
    return 0;
}
