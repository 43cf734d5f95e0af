/* What the programs of this folder have in common. `meet` brings two threads together, so that
 * each hangs in every run; it is out of the recorder's sight, and holds nobody back. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <unistd.h>

static inline pthread_t start(void *(*run)(void *))
{
    pthread_t thread;
    if (pthread_create(&thread, NULL, run, NULL))
        abort();
    return thread;
}

static inline void finish(pthread_t thread)
{
    pthread_join(thread, NULL);
}

static volatile int arrived;

__attribute__((no_sanitize_thread, unused)) static void meet(int all)
{
    __sync_fetch_and_add(&arrived, 1);
    while (arrived < all)
        sched_yield();
}

/* A thread that has one lock when all have met, and wants the next: it hangs in this line. */
#define TAKES_THEN_WANTS(name, all, taken, wanted)                                                 \
    static void *name(void *unused)                                                                \
    {                                                                                              \
        pthread_mutex_lock(&(taken));                                                              \
        meet(all);                                                                                 \
        pthread_mutex_lock(&(wanted));                                                             \
        return unused;                                                                             \
    }
