/* Descriptors, used wrongly: a thread goes on writing to a number that was closed, while others
 * begin and end. And select() with as many descriptors as there might be, and a set of its usual
 * size at the very end of the memory. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <unistd.h>

enum { THREADS = 400, PAGE = 4096 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int closed;
static atomic_bool done;

static void *write_astray(void *unused)
{
    (void)unused;
    while (!done)
        (void)!write(closed, "this is not for anybody to read", 31);
    return NULL;
}

static void *pass(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t astray, thread;
    struct rlimit limit;
    getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);

    closed = open("/dev/null", O_WRONLY | O_CLOEXEC);
    close(closed);
    pthread_create(&astray, NULL, write_astray, NULL);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&thread, NULL, pass, NULL);
        pthread_join(thread, NULL);
    }
    done = true;
    pthread_join(astray, NULL);

    char *pages = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + PAGE, PAGE, PROT_NONE);
    fd_set *last = (fd_set *)(void *)(pages + PAGE) - 1;
    struct timeval at_once = {0};
    if (select(getdtablesize(), last, NULL, NULL, &at_once) < 0)
        perror("select");
    int next = open("/dev/null", O_RDONLY | O_CLOEXEC);
    printf("%s\n", next == closed ? "the same number" : "another number");
    return 0;
}
