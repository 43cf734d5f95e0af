// The thread is started before what it needs is set: it could find nothing there.
// untimely: settings.width
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
struct {
    int width;
} settings;

static void set(void)
{
    pthread_mutex_lock(&mutex);
    settings.width = 80;
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused)
{
    usleep(20000);
    pthread_mutex_lock(&mutex);
    int width = settings.width;
    pthread_mutex_unlock(&mutex);
    printf("%d columns\n", width);
    return unused;
}

int main(void)
{
    pthread_t thread;
#ifdef RIGHT
    set();
#endif
    pthread_create(&thread, NULL, run, NULL);
#ifndef RIGHT
    set();
#endif
    pthread_join(thread, NULL);
    return 0;
}
