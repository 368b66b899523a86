// expect: race 27 28 31 32 35 36
// flags: -fopenmp
// threads: 1,2,4
// Each buffer is in use when the creator of the task touches it.

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

int main(void)
{
    int ends[2];
    char line[16] = "", parts[16] = "", sent[16] = "hello";
    struct iovec list = {parts, sizeof parts};
    struct msghdr message = {0};
    message.msg_iov = &list;
    message.msg_iovlen = 1;
    if (socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) != 0)
        return 2;
    sendto(ends[0], sent, 6, 0, NULL, 0);
    sendto(ends[0], sent, 6, 0, NULL, 0);
    #pragma omp parallel
    #pragma omp single
    {
        #pragma omp task shared(line)
        recvfrom(ends[1], line, sizeof line, 0, NULL, NULL);
        printf("%c\n", line[0] == 'h' || line[0] == 0 ? '.' : '?');
        #pragma omp taskwait
        #pragma omp task shared(message)
        recvmsg(ends[1], &message, 0);
        printf("%c\n", parts[1] == 'e' || parts[1] == 0 ? '.' : '?');
        #pragma omp taskwait
        #pragma omp task shared(sent)
        sendto(ends[0], sent, 6, 0, NULL, 0);
        sent[2] = 'L';
    }
    puts("done");
}
