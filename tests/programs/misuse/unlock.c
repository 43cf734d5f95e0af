// case twice: unlock-free observed first second
// case never: unlock-free observed never
// case rwlock: unlock-free observed read_unlock rwlock
// case foreign: unlock-foreign observed lock unlock
// case checked: nothing
// case recursive: nothing
// case condition: nothing
// case semaphore: nothing
// Unlocks of what is free, or another thread's; and what is allowed.
#include "../patience.h"

#include <pthread.h>
#include <semaphore.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t checked, recursive;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;
static const char *name = "checked";
static int ready;

static void *other(void *unused)
{
    if (strcmp(name, "foreign") == 0)
        pthread_mutex_unlock(&lock); //@unlock
    if (strcmp(name, "checked") == 0)
        pthread_mutex_unlock(&checked); /* refused, as defined */
    if (strcmp(name, "semaphore") == 0)
        sem_post(&semaphore);
    if (strcmp(name, "condition") == 0) {
        pthread_mutex_lock(&lock);
        ready = 1;
        pthread_cond_signal(&condition);
        pthread_mutex_unlock(&lock);
    }
    return unused;
}

static void init(pthread_mutex_t *mutex, int type)
{
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, type);
    pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

static void two_threads(void)
{
    pthread_t thread;
    if (strcmp(name, "foreign") == 0)
        pthread_mutex_lock(&lock); //@lock
    if (strcmp(name, "checked") == 0)
        pthread_mutex_lock(&checked);
    if (strcmp(name, "condition") == 0)
        pthread_mutex_lock(&lock);
    pthread_create(&thread, NULL, other, NULL);
    if (strcmp(name, "semaphore") == 0)
        sem_wait(&semaphore);
    if (strcmp(name, "condition") == 0) {
        while (!ready)
            pthread_cond_wait(&condition, &lock);
        pthread_mutex_unlock(&lock);
    }
    pthread_join(thread, NULL);
    if (strcmp(name, "checked") == 0)
        pthread_mutex_unlock(&checked);
}

int main(int argc, char **argv)
{
    if (argc > 1)
        name = argv[1];
    init(&checked, PTHREAD_MUTEX_ERRORCHECK);
    init(&recursive, PTHREAD_MUTEX_RECURSIVE);
    sem_init(&semaphore, 0, 0);
    if (strcmp(name, "twice") == 0) {
        pthread_mutex_lock(&lock);
        pthread_mutex_unlock(&lock); //@first
        pthread_mutex_unlock(&lock); //@second
    } else if (strcmp(name, "never") == 0) {
        pthread_mutex_unlock(&lock); //@never
    } else if (strcmp(name, "rwlock") == 0) {
        pthread_rwlock_rdlock(&rwlock);
        pthread_rwlock_unlock(&rwlock); //@read_unlock
        pthread_rwlock_unlock(&rwlock); //@rwlock
    } else if (strcmp(name, "recursive") == 0) {
        for (int i = 0; i < 3; i++)
            pthread_mutex_lock(&recursive);
        for (int i = 0; i < 4; i++) /* the last one is refused, as defined */
            pthread_mutex_unlock(&recursive);
    } else {
        two_threads();
    }
    return 0;
}
