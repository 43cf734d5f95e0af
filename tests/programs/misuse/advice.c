// case leaks: thread-leak advice create
// options leaks: --advise
// case leaks_unasked: nothing
// case detaches: nothing
// options detaches: --advise
// case locked: exit-locked advice lock_at_exit
// options locked: --advise
// case refused: call-failed advice refused
// options refused: --advise
// case signals: signal-unlocked advice signal
// options signals: --advise
// case signals_right: nothing
// options signals_right: --advise
// What is dubious, and told only if asked for.
#include "../patience.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, checked;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static const char *name = "leaks";
static int ready, waits;

static int is(const char *other)
{
    return strcmp(name, other) == 0;
}

static void *nothing(void *unused)
{
    return unused;
}

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    __atomic_store_n(&waits, 1, __ATOMIC_SEQ_CST);
    while (!__atomic_load_n(&ready, __ATOMIC_SEQ_CST))
        pthread_cond_wait(&condition, &lock);
    pthread_mutex_unlock(&lock);
    return unused;
}

static int wake(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    while (!__atomic_load_n(&waits, __ATOMIC_SEQ_CST))
        usleep(1000);
    pthread_mutex_lock(&lock); /* it waits, now */
    if (is("signals_right"))
        __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_unlock(&lock);
    if (is("signals_right")) {
        pthread_cond_signal(&condition);
        return pthread_join(thread, NULL);
    }
    pthread_cond_broadcast(&condition);
    __atomic_store_n(&ready, 1, __ATOMIC_SEQ_CST);
    pthread_cond_broadcast(&condition); //@signal
    return pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    pthread_mutexattr_t attributes;
    pthread_t thread;
    if (argc > 1)
        name = argv[1];
    if (is("signals") || is("signals_right"))
        return wake();
    if (is("refused")) {
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
        pthread_mutex_init(&checked, &attributes);
        pthread_mutex_unlock(&checked); //@refused
        return 0;
    }
    if (is("locked")) {
        pthread_mutex_lock(&lock); //@lock_at_exit
        return 0;
    }
    pthread_create(&thread, NULL, nothing, NULL); //@create
    if (is("detaches"))
        pthread_detach(thread);
    usleep(50000);
    return 0;
}
