// case observed: use-destroyed observed destroy lock
// case twice: use-destroyed observed destroy again
// case waiting: destroy-held confirmed wait destroy_waiting
// case gated: use-destroyed confirmed destroy_gated gated
// case ordered: nothing
// case anew: nothing
// case assigned: nothing
// A mutex is used after it was destroyed; or has become another one.
#include "../patience.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int waits;

static void *user(void *unused)
{
    usleep(20000);
    pthread_mutex_lock(&lock); //@lock
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    waits = 1;
    pthread_cond_wait(&condition, &lock); //@wait
    pthread_mutex_unlock(&lock);
    return unused;
}

/* The signal chooses the waiter, which has the mutex again before or after it is destroyed. */
static int destroy_before_it_wakes(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, waiter, NULL);
    usleep(10000);
    pthread_mutex_lock(&lock);
    if (waits)
        pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    usleep(100000);
    pthread_mutex_destroy(&lock); //@destroy_waiting
    return pthread_join(thread, NULL);
}

static void *gated_user(void *gate)
{
    pthread_mutex_lock(gate);
    pthread_mutex_lock(&lock); //@gated
    pthread_mutex_unlock(&lock);
    pthread_mutex_unlock(gate);
    return NULL;
}

/* Never held when it is destroyed, but perhaps not yet used. */
static int destroy_behind_gate(int join_first)
{
    static pthread_mutex_t gate = PTHREAD_MUTEX_INITIALIZER;
    pthread_t thread;
    pthread_create(&thread, NULL, gated_user, &gate);
    usleep(100000);
    if (join_first)
        pthread_join(thread, NULL);
    pthread_mutex_lock(&gate);
    pthread_mutex_destroy(&lock); //@destroy_gated
    pthread_mutex_unlock(&gate);
    return join_first ? 0 : pthread_join(thread, NULL);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "anew";
    pthread_t thread;
    if (strcmp(name, "waiting") == 0)
        return destroy_before_it_wakes();
    if (strcmp(name, "gated") == 0 || strcmp(name, "ordered") == 0)
        return destroy_behind_gate(strcmp(name, "ordered") == 0);
    pthread_mutex_destroy(&lock); //@destroy
    if (strcmp(name, "twice") == 0)
        return pthread_mutex_destroy(&lock) == 0 ? 0 : 1; //@again
    if (strcmp(name, "anew") == 0)
        pthread_mutex_init(&lock, NULL);
    if (strcmp(name, "assigned") == 0)
        lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    pthread_create(&thread, NULL, user, NULL);
    pthread_join(thread, NULL);
    return 0;
}
