// case unlocked: wait-unlocked observed unlocked
// case two: wait-two-mutexes observed waits two
// case destroyed: destroy-waited observed waits destroyed
// case locked: nothing
// case one_by_one: nothing
// case woken: nothing
// Waits for a condition without its mutex, with two of them, and destroyed under a waiter.
#include "../patience.h"

#include <pthread.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int ready;

static void *waiter(void *unused)
{
    pthread_mutex_lock(&lock);
    while (!ready)
        pthread_cond_wait(&condition, &lock); //@waits
    pthread_mutex_unlock(&lock);
    return unused;
}

static void *waker(void *unused)
{
    usleep(30000);
    pthread_mutex_lock(&lock);
    ready = 1;
    pthread_cond_broadcast(&condition);
    pthread_mutex_unlock(&lock);
    return unused;
}

static void wait_shortly(pthread_mutex_t *mutex)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    pthread_cond_timedwait(&condition, mutex, &now); //@two
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : "locked";
    pthread_t threads[2];
    if (strcmp(name, "unlocked") == 0) {
        struct timespec past = {0, 0};
        pthread_cond_timedwait(&condition, &lock, &past); //@unlocked
        return 0;
    }
    pthread_create(&threads[0], NULL, waiter, NULL);
    usleep(10000);
    pthread_create(&threads[1], NULL, waker, NULL);
    if (strcmp(name, "two") == 0) {
        pthread_mutex_lock(&other);
        wait_shortly(&other);
        pthread_mutex_unlock(&other);
    } else if (strcmp(name, "locked") == 0) {
        pthread_mutex_lock(&lock);
        wait_shortly(&lock);
        pthread_mutex_unlock(&lock);
    } else if (strcmp(name, "destroyed") == 0) {
        pthread_cond_destroy(&condition); //@destroyed
    } else if (strcmp(name, "woken") == 0) {
        pthread_join(threads[1], NULL); /* who was woken may still be on the way out */
        pthread_cond_destroy(&condition);
    }
    if (strcmp(name, "woken") != 0)
        pthread_join(threads[1], NULL);
    pthread_join(threads[0], NULL);
    if (strcmp(name, "one_by_one") == 0) {
        pthread_mutex_lock(&other);
        wait_shortly(&other);
        pthread_mutex_unlock(&other);
    }
    return 0;
}
