/* Appending one buffer to another: the length is asked for under the lock, the characters are taken
 * under the lock, and in between the other one is cut. -DRIGHT: one section. */
#include <assert.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int length = 3;

static int ask_length(void)
{
    pthread_mutex_lock(&lock);
    int seen = length;
#ifndef RIGHT
    pthread_mutex_unlock(&lock);
#endif
    return seen;
}

static void take(int count)
{
#ifndef RIGHT
    pthread_mutex_lock(&lock);
#endif
    assert(count <= length);
    pthread_mutex_unlock(&lock);
}

static void *append(void *argument)
{
    take(ask_length());
    return argument;
}

static void *cut(void *argument)
{
    pthread_mutex_lock(&lock);
    length = 0;
    pthread_mutex_unlock(&lock);
    return argument;
}

int main(void)
{
    pthread_t threads[2];
    pthread_create(&threads[0], NULL, append, NULL);
    pthread_create(&threads[1], NULL, cut, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
