/* Pointers that the kernel answers with EFAULT, each in a process of its own. */
#define _GNU_SOURCE
#include <aio.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/random.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
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
    struct timeval at_once = {0};
    struct epoll_event event = {.events = EPOLLIN};
    int watch = epoll_create1(0), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    int set = semget(IPC_PRIVATE, 1, 0600), queue = msgget(IPC_PRIVATE, 0600);
    /* A set of the usual size at the end of the memory, with one that is ready. */
    char *pages = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + 4096, 4096, PROT_NONE);
    fd_set *last = (fd_set *)(void *)(pages + 4096) - 1;
    FD_SET(eventfd(1, 0), last);
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
    TRY(write(ends[0], bad, (size_t)1 << 46)); /* beyond all memory, wherever `bad` lies */
    TRY(select(ends[1] + 1, bad, NULL, NULL, &at_once));
    TRY(select(1 << 20, last, NULL, NULL, &at_once));
    TRY(poll(bad, 1, 0));
    TRY(ppoll(bad, 1, NULL, NULL));
    TRY(epoll_ctl(watch, EPOLL_CTL_ADD, ends[1], bad));
    TRY(epoll_ctl(watch, EPOLL_CTL_ADD, ends[1], (void *)-1));
    epoll_ctl(watch, EPOLL_CTL_ADD, ends[1], &event);
    TRY(epoll_wait(watch, bad, 1, 0));
    TRY(semop(set, bad, 1));
    TRY(semop(set, bad, (size_t)-1));
    TRY(semtimedop(set, (void *)-1, 1, bad));
    TRY(msgsnd(queue, bad, 4, IPC_NOWAIT));
    TRY(msgsnd(queue, bad, (size_t)-1, IPC_NOWAIT));
    TRY(msgrcv(queue, bad, 4, 0, IPC_NOWAIT));
    TRY(fcntl(ends[0], F_OFD_SETLK, bad));
    TRY(fcntl(ends[0], F_OFD_SETLK, (void *)-1));
    TRY(fcntl(ends[0], F_SETLK, bad));
    TRY(fcntl(ends[0], F_OFD_GETLK, bad));
    TRY(timerfd_settime(timer, 0, bad, NULL));
    TRY(lio_listio(-1, bad, 1, NULL));
    TRY(sigtimedwait(bad, NULL, NULL));
    TRY(sigwaitinfo(bad, NULL));
    TRY(setitimer(ITIMER_REAL, bad, NULL));
    TRY(accept(ends[0], bad, bad));
    TRY(getrandom(bad, 16, 0));
    TRY(open(bad, O_RDWR));
    TRY(unlink(bad));
    TRY(rename(bad, "x"));
    TRY(chmod(bad, 0));
    TRY(readv(ends[1], &part, 1));
    TRY(recvfrom(ends[1], bad, 4, MSG_DONTWAIT, bad, bad));
    TRY(getsockname(ends[1], bad, bad));
    TRY(execve(bad, bad, bad));
    TRY(syscall(SYS_futex, bad, FUTEX_WAIT, 0, NULL, NULL, 0));
    semctl(set, 0, IPC_RMID);
    msgctl(queue, IPC_RMID, NULL);
    return 0;
}
