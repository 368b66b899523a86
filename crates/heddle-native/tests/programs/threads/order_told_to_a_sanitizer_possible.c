// expect: possible 19 28
// flags: -O1 -pthread
// The descriptor is closed by a system call that is made by hand; who waits for the end of the pipe comes after it. The
// other way round, the order is told at an address.

#include <pthread.h>
#include <sanitizer/linux_syscall_hooks.h>
#include <sanitizer/tsan_interface.h>
#include <sys/syscall.h>
#include <unistd.h>

static int ends[2];
int value;
static char place;

static void *write_and_close(void *argument)
{
    __tsan_acquire(&place);
    value = 1;
    __sanitizer_syscall_pre_close(ends[1]);
    long status = syscall(SYS_close, ends[1]);
    __sanitizer_syscall_post_close(status, ends[1]);
    return argument;
}

static int look(void)
{
    return value;
}

int main(void)
{
    pthread_t thread;
    char byte;
    if (pipe(ends))
        return 2;
    pthread_create(&thread, 0, write_and_close, 0);
    if (read(ends[0], &byte, 1) != 0)
        return 2;
    int seen = look();
    __tsan_release(&place);
    pthread_join(thread, 0);
    return seen != 1;
}
