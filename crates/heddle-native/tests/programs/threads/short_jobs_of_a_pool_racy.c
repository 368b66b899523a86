// expect: race
// flags: -O2 -pthread
// compilers: clang,gcc
// Jobs so short that the first worker could do all of them before another wakes up.

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct job {
    int number;
    struct job *next;
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static struct job *first, **last = &first;
static int closed;

static int done;

static void work(struct job *job)
{
    done += job->number;
    free(job);
}

static void *worker(void *unused)
{
    for (;;) {
        pthread_mutex_lock(&mutex);
        while (!first && !closed)
            pthread_cond_wait(&changed, &mutex);
        struct job *job = first;
        if (job && !(first = job->next))
            last = &first;
        pthread_mutex_unlock(&mutex);
        if (!job)
            return unused;
        work(job);
    }
}

int main(void)
{
    pthread_t workers[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&workers[i], NULL, worker, NULL);
    for (int i = 0; i < 16; i++) {
        struct job *job = malloc(sizeof *job);
        *job = (struct job){i, NULL};
        pthread_mutex_lock(&mutex);
        *last = job;
        last = &job->next;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&mutex);
    }
    pthread_mutex_lock(&mutex);
    closed = 1;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < 3; i++)
        pthread_join(workers[i], NULL);
    printf("%d\n", done);
}
