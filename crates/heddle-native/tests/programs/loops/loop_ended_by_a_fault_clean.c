// expect: clean
// flags: -fopenmp -O2
// threads: 1,4
// stdout: done
// The bound wraps to far beyond what can be touched, but the element before the first is not in it.

#define _GNU_SOURCE
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>

static sigjmp_buf back;

static void caught(int signal)
{
    siglongjmp(back, signal);
}

__attribute__((noinline)) void add(int *cell, unsigned count)
{
    for (unsigned i = 0; i < count - 1; i++)
        cell[i] += 1;
}

int main(void)
{
    int *pages = mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 2048, 4096, PROT_NONE);
    signal(SIGSEGV, caught);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task
        if (sigsetjmp(back, 1) == 0)
            add(pages + 1024, 0);
        #pragma omp task
        pages[1023] = 1;
    }
    puts("done");
    return 0;
}
