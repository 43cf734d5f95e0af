/* Pointers that the kernel answers with EFAULT, each in a process of its own. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        fflush(stdout);                                                                            \
        int status;                                                                                \
        pid_t child = fork();                                                                      \
        if (!child) {                                                                              \
            errno = 0;                                                                             \
            long answer = (long)(call);                                                            \
            printf("%s: %ld, %s\n", #call, answer, strerror(errno));                               \
            fflush(stdout);                                                                        \
            _exit(0);                                                                              \
        }                                                                                          \
        waitpid(child, &status, 0);                                                                \
        if (WIFSIGNALED(status))                                                                   \
            printf("%s: signal %d\n", #call, WTERMSIG(status));                                    \
    } while (0)

static void *run(void *unused)
{
    return unused;
}

int main(void)
{
    pthread_t thread;
    int ends[2];
    void *bad = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct iovec part = {bad, 4};
    struct msghdr message = {.msg_iov = bad, .msg_iovlen = 1};
    struct msghdr good = {.msg_iov = &part, .msg_iovlen = 1};
    socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, ends);
    send(ends[0], "hello", 5, 0);
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    TRY(writev(ends[0], bad, 1));
    TRY(writev(ends[0], &part, 1));
    TRY(writev(ends[0], (void *)-1, 1));
    TRY(writev(ends[0], &part, -1));
    TRY(readv(ends[1], bad, 1));
    TRY(sendmsg(ends[0], bad, 0));
    TRY(sendmsg(ends[0], &message, 0));
    TRY(sendmsg(ends[0], &good, 0));
    TRY(recvmsg(ends[1], bad, MSG_DONTWAIT));
    TRY(recvmsg(ends[1], &message, MSG_DONTWAIT));
    TRY(recvmsg(ends[1], &good, MSG_DONTWAIT));
    TRY(pwritev(ends[0], bad, 1, 0));
    TRY(preadv(ends[1], bad, 1, 0));
    TRY(sendto(ends[0], "x", 1, 0, bad, 16));
    TRY(connect(ends[0], bad, 16));
    TRY(sendmmsg(ends[0], bad, 1, 0));
    TRY(recvmmsg(ends[1], bad, 1, MSG_DONTWAIT, NULL));
    TRY(pipe(bad));
    TRY(read(ends[1], bad, 4));
    TRY(write(ends[0], bad, 4));
    return 0;
}
