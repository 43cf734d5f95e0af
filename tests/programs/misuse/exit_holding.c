// case observed: exit-holding observed lock
// case cancelled: exit-holding observed cancelled
// case robust: nothing
// case cleaned: nothing
// case main: nothing
// case process: nothing
// A thread ends and holds a lock.
#include "../patience.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t robust;
static const char *name = "robust";

static void unlock(void *mutex)
{
    pthread_mutex_unlock(mutex);
}

static void sleep_for_good(void)
{
    for (;;)
        pause();
}

static void *thread_main(void *unused)
{
    if (strcmp(name, "observed") == 0) {
        pthread_mutex_lock(&lock); //@lock
    } else if (strcmp(name, "cancelled") == 0) {
        pthread_mutex_lock(&lock); //@cancelled
        sleep_for_good();
    } else if (strcmp(name, "cleaned") == 0) {
        pthread_mutex_lock(&lock);
        pthread_cleanup_push(unlock, &lock);
        sleep_for_good();
        pthread_cleanup_pop(1);
    } else if (strcmp(name, "robust") == 0) {
        pthread_mutex_lock(&robust);
    } else if (strcmp(name, "process") == 0) {
        pthread_mutex_lock(&lock);
        sleep_for_good();
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_mutexattr_t attributes;
    pthread_t thread;
    if (argc > 1)
        name = argv[1];
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &attributes);
    pthread_create(&thread, NULL, thread_main, NULL);
    usleep(10000);
    if (strcmp(name, "cancelled") == 0 || strcmp(name, "cleaned") == 0)
        pthread_cancel(thread);
    if (strcmp(name, "process") == 0)
        return 0;
    pthread_join(thread, NULL);
    if (strcmp(name, "main") == 0)
        pthread_mutex_lock(&lock);
    if (strcmp(name, "robust") == 0 && pthread_mutex_lock(&robust) == EOWNERDEAD) {
        pthread_mutex_consistent(&robust);
        pthread_mutex_unlock(&robust);
    }
    return 0;
}
