/* Gives something up that a recorder may need, then its threads race: argv[1] says what. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { NOBODY = 65534, ROUNDS = 20000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long counter;
static int racy;

static void *run(void *unused)
{
    for (int i = 0; i < ROUNDS; i++) {
        pthread_mutex_lock(&mutex);
        counter++;
        pthread_mutex_unlock(&mutex);
    }
    racy++;
    return unused;
}

static int give_up_user(void)
{
    return setgid(NOBODY) || setuid(NOBODY);
}

static int give_up_root(void)
{
    return chroot("/usr/share") || chdir("/");
}

/* As daemons do: numbers are counted on. */
static int give_up_descriptors(void)
{
    int kept = dup2(1, 700);
    close_range(0, 699, 0);
    for (int i = 0; i < 3; i++)
        if (open("/dev/null", O_RDWR) != i)
            return 1;
    return dup2(kept, 1) != 1;
}

static int give_up_limit(void)
{
    struct rlimit none = {3, 3};
    return setrlimit(RLIMIT_NOFILE, &none);
}

/* Whoever opens a file, or asks for much else that the program itself does not need, is killed. */
static int give_up_calls(void)
{
#define KILL(number)                                                                               \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                             \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)
    struct sock_filter filter[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, 0),
                                   KILL(SYS_open),
                                   KILL(SYS_openat),
                                   KILL(SYS_ftruncate),
                                   KILL(SYS_fallocate),
                                   KILL(SYS_readlink),
                                   KILL(SYS_fcntl),
                                   KILL(SYS_getpid),
                                   KILL(SYS_gettid),
                                   KILL(SYS_sched_yield),
                                   KILL(SYS_nanosleep),
                                   KILL(SYS_sched_getaffinity),
                                   KILL(SYS_get_robust_list),
                                   BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
    struct sock_fprog program = {sizeof filter / sizeof *filter, filter};
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
}

static void work(void)
{
    pthread_t threads[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&threads[i], NULL, run, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    int failed = strcmp(what, "user") == 0          ? give_up_user()
                 : strcmp(what, "root") == 0        ? give_up_root() || give_up_user()
                 : strcmp(what, "descriptors") == 0 ? give_up_descriptors()
                 : strcmp(what, "limit") == 0       ? give_up_limit()
                 : strcmp(what, "calls") == 0       ? give_up_calls()
                                                    : 0;
    if (failed)
        return 77;
    if (argc > 2 && fork() == 0) { /* the child's threads, who never had what their parent had */
        work();
        printf("child %ld\n", counter);
        fflush(stdout);
        _exit(0);
    }
    if (argc > 2)
        wait(NULL);
    else
        work();
    printf("%ld\n", counter);
    return 3;
}
