// case observed: destroy-held observed hold destroy
// case hidden: destroy-held confirmed hold destroy
// case hidden_rwlock: destroy-held confirmed read destroy_rwlock
// case hidden_spin: destroy-held confirmed spin destroy_spin
// case own: destroy-held observed own destroy_own
// case joined: nothing
// case last_user: nothing
// case counted: nothing
// A lock is destroyed while a thread holds it: as it happened, or if the thread is late.
#include "../patience.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t done_now = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static int done, left = 2;

static void *holder(void *unused)
{
    pthread_mutex_lock(&lock); //@hold
    usleep(20000);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *reader(void *unused)
{
    pthread_rwlock_rdlock(&rwlock); //@read
    pthread_rwlock_unlock(&rwlock);
    return unused;
}

static void *spinner(void *unused)
{
    pthread_spin_lock(&spin); //@spin
    pthread_spin_unlock(&spin);
    return unused;
}

/* Its unlock is the last thing that it does with the lock: who waits for `done` may destroy it. */
static void *finisher(void *unused)
{
    pthread_mutex_lock(&lock);
    done = 1;
    pthread_cond_signal(&done_now);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *counter(void *unused)
{
    pthread_mutex_lock(&lock);
    pthread_mutex_unlock(&lock);
    if (__atomic_sub_fetch(&left, 1, __ATOMIC_ACQ_REL) == 0)
        pthread_mutex_destroy(&lock);
    return unused;
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "joined";
    pthread_t thread, second;
    if (strcmp(name, "observed") == 0 || strcmp(name, "hidden") == 0) {
        pthread_create(&thread, NULL, holder, NULL);
        usleep(strcmp(name, "hidden") == 0 ? 100000 : 10000);
        pthread_mutex_destroy(&lock); //@destroy
    } else if (strcmp(name, "hidden_rwlock") == 0) {
        pthread_create(&thread, NULL, reader, NULL);
        usleep(100000);
        pthread_rwlock_destroy(&rwlock); //@destroy_rwlock
    } else if (strcmp(name, "hidden_spin") == 0) {
        pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
        pthread_create(&thread, NULL, spinner, NULL);
        usleep(100000);
        pthread_spin_destroy(&spin); //@destroy_spin
    } else if (strcmp(name, "own") == 0) {
        pthread_mutex_lock(&other);    //@own
        pthread_mutex_destroy(&other); //@destroy_own
        return 0;
    } else if (strcmp(name, "last_user") == 0) {
        pthread_create(&thread, NULL, finisher, NULL);
        pthread_mutex_lock(&lock);
        while (!done)
            pthread_cond_wait(&done_now, &lock);
        pthread_mutex_unlock(&lock);
        pthread_mutex_destroy(&lock);
    } else if (strcmp(name, "counted") == 0) {
        pthread_create(&thread, NULL, counter, NULL);
        pthread_create(&second, NULL, counter, NULL);
        pthread_join(second, NULL);
    } else {
        pthread_create(&thread, NULL, holder, NULL);
    }
    pthread_join(thread, NULL);
    if (strcmp(name, "joined") == 0)
        pthread_mutex_destroy(&lock);
    return 0;
}
