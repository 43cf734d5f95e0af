/* A driver is stopped while a request comes in: the request looks whether it is being stopped, and
 * counts itself in after that. -DRIGHT: it counts itself in first. */
#include <assert.h>
#include <pthread.h>
#include <stdbool.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool stopping, stopped, event;
static int pending = 1;

static void leave(void)
{
    pthread_mutex_lock(&lock);
    bool last = --pending == 0;
    if (last)
        event = true;
    pthread_mutex_unlock(&lock);
}

static bool enter(void)
{
    pthread_mutex_lock(&lock);
#ifdef RIGHT
    bool may = !stopping;
    pending += may;
    pthread_mutex_unlock(&lock);
    return may;
#else
    bool may = !stopping;
    pthread_mutex_unlock(&lock);
    if (!may)
        return false;
    pthread_mutex_lock(&lock);
    pending++;
    pthread_mutex_unlock(&lock);
    return true;
#endif
}

static void *request(void *argument)
{
    if (enter()) {
        pthread_mutex_lock(&lock);
        assert(!stopped);
        pthread_mutex_unlock(&lock);
        leave();
    }
    return argument;
}

static void *stop(void *argument)
{
    pthread_mutex_lock(&lock);
    stopping = true;
    pthread_mutex_unlock(&lock);
    leave();
    pthread_mutex_lock(&lock);
    if (event)
        stopped = true;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, request, NULL);
    pthread_create(&threads[1], NULL, stop, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
