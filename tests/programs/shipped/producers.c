// Who is alone to take may look first and take later, whatever others add in between; two who take
// may not.
// breaks: take
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int pending = 3;

static void add(void)
{
    pthread_mutex_lock(&mutex);
    pending++;
    pthread_mutex_unlock(&mutex);
}

static int take(void)
{
    pthread_mutex_lock(&mutex);
    if (pending < 1) {
        pthread_mutex_unlock(&mutex);
        return 0;
    }
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
    pending--;
    pthread_mutex_unlock(&mutex);
    return 1;
}

static void *run(void *unused)
{
    usleep(20000);
    add();
#ifndef RIGHT
    take();
#endif
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    take();
    pthread_join(thread, NULL);
    printf("%d\n", pending);
    return 0;
}
