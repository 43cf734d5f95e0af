// syscall() does what it does without us: arguments, errors, and a call that returns twice.
// hb: none
// expect: w(checked)
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int checked;

static void check(int good)
{
    if (!good)
        abort();
}

static void six_arguments(void)
{
    int file = open("/proc/self/exe", O_RDONLY);
    char start[16];
    long page = syscall(SYS_mmap, 0L, 4096L, (long)PROT_READ, (long)MAP_PRIVATE, (long)file, 4096L);
    check(pread(file, start, sizeof start, 4096) == sizeof start);
    check(memcmp((void *)page, start, sizeof start) == 0);
}

static void *run(void *unused)
{
    int word = 1, status;
    six_arguments();
    check(syscall(SYS_close, -1) == -1 && errno == EBADF);
    check(syscall(SYS_futex, &word, FUTEX_WAIT, 2, NULL, NULL, 0) == -1 && errno == EAGAIN);
    check(syscall(SYS_futex, (void *)8, FUTEX_WAIT, 2, NULL, NULL, 0) == -1 && errno == EFAULT);
    check(syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) == 0);
    long child = syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
    if (child == 0)
        syscall(SYS_exit_group, 7);
    check(waitpid((pid_t)child, &status, 0) == child && WEXITSTATUS(status) == 7);
    checked = 1;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_join(thread, NULL);
    return !checked;
}
