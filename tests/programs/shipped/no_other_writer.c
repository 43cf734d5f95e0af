// Nobody else writes while the only writer takes its time; with a second writer it is broken.
// breaks: tick
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int now;

static void tick(int by)
{
    pthread_mutex_lock(&mutex);
    int before = now;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    now = before + by;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused)
{
    usleep(20000);
#ifdef RIGHT
    pthread_mutex_lock(&mutex);
    int seen = now;
    pthread_mutex_unlock(&mutex);
    if (seen < 0)
        printf("never\n");
#else
    tick(1);
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    tick(1);
    tick(2);
    pthread_join(thread, NULL);
    printf("%d\n", now);
    return 0;
}
