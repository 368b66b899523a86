/* Work for a soak with faults: THREADS threads allocate, lock, touch memory and fork, ROUNDS times each; then the
   sum is printed, which does not depend on who came first. One race is certain, and met first. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

int raced;
static pthread_mutex_t locks[16];
static unsigned long sums[16];
static int rounds, forks;
static __thread sigjmp_buf back;
static __thread volatile int may_jump;

static void jump(int signal)
{
    if (may_jump)
        siglongjmp(back, signal);
}

static void *race(void *unused)
{
    raced++;
    return unused;
}

/* What a handler may leave by a jump: it holds nothing. */
static void interruptible(unsigned n)
{
    static __thread int room[256];
    if (sigsetjmp(back, 1) == 0) {
        may_jump = 1;
        for (int i = 0; i < 64; i++)
            room[(n + i * 7) % 256] += i;
    }
    may_jump = 0;
}

static void *work(void *argument)
{
    unsigned n = (unsigned)(long)argument * 2654435761u + 1;
    for (int round = 0; round < rounds; round++) {
        n = n * 1664525 + 1013904223;
        unsigned *block = malloc(16 + n % 3000);
        if (!block)
            abort();
        *block = n >> 8;
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_BLOCK, &all, &before);
        pthread_mutex_lock(&locks[n >> 28]);
        sums[n >> 28] += *block;
        pthread_mutex_unlock(&locks[n >> 28]);
        if (forks && round % (rounds / forks + 1) == 0) {
            pid_t child = fork();
            if (child == 0) {
                free(malloc(100));
                raced += 1;
                _exit(0);
            }
            int status;
            if (child > 0 && (waitpid(child, &status, 0) != child || status != 0))
                abort();
        }
        pthread_sigmask(SIG_SETMASK, &before, 0);
        free(block);
        interruptible(n);
    }
    return 0;
}

int main(int count, char **words)
{
    int threads = count > 1 ? atoi(words[1]) : 4;
    rounds = count > 2 ? atoi(words[2]) : 1000;
    forks = count > 3 ? atoi(words[3]) : 0;
    signal(SIGUSR1, jump);
    for (int i = 0; i < 16; i++)
        pthread_mutex_init(&locks[i], 0);
    pthread_t *all = calloc(threads, sizeof *all);
    pthread_create(&all[0], 0, race, 0);
    raced++;
    pthread_join(all[0], 0);
    puts("ready");
    fflush(stdout);
    for (long i = 0; i < threads; i++)
        if (pthread_create(&all[i], 0, work, (void *)i))
            abort();
    for (int i = 0; i < threads; i++)
        pthread_join(all[i], 0);
    unsigned long sum = 0;
    for (int i = 0; i < 16; i++)
        sum += sums[i];
    printf("sum %lu\n", sum);
    return 0;
}
