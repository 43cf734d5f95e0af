// Who compares what is there with what it has seen, and begins anew if that has changed, loses
// nothing; who looks again and does not care, does.
// breaks: store_if
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int version = 1;

static int load(void)
{
    pthread_mutex_lock(&mutex);
    int seen = version;
    pthread_mutex_unlock(&mutex);
    return seen;
}

static int store_if(int by)
{
    int seen = load(), done = 1;
    pthread_mutex_lock(&mutex);
#ifdef RIGHT
    done = version == seen;
#endif
    if (done)
        version = seen + by;
    pthread_mutex_unlock(&mutex);
    return done;
}

static void *run(void *unused)
{
    usleep(20000);
    while (!store_if(5))
        ;
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    while (!store_if(10))
        ;
    pthread_join(thread, NULL);
    printf("%d\n", load());
    return 0;
}
