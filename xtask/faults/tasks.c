/* A thread forks FORKS times while the main task makes tasks all the time; each child makes one, too. */
#include <heddle.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int stop, forks;
static long cells[64];

static void task(void *cell)
{
    (*(long *)cell)++;
}

static void round_of_tasks(int count)
{
    heddle_finish_begin();
    for (int n = 0; n < count; n++)
        heddle_async(task, &cells[n]);
    heddle_finish_end();
}

static void *fork_often(void *unused)
{
    for (int n = 0; n < forks; n++) {
        pid_t child = fork();
        if (child == 0) {
            /* A child that hangs is ended by its alarm. */
            alarm(60);
            round_of_tasks(1);
            _exit(7);
        }
        int status = 0;
        if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) {
            printf("fork %d: status %x\n", n, status);
            exit(9);
        }
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    return unused;
}

int main(int count, char **words)
{
    pthread_t thread;
    forks = count > 1 ? atoi(words[1]) : 300;
    pthread_create(&thread, 0, fork_often, 0);
    while (!__atomic_load_n(&stop, __ATOMIC_RELAXED))
        round_of_tasks(8);
    pthread_join(thread, 0);
    puts("done");
    return 0;
}
