// How many there are is told by a thread that need not have counted yet; the right twin's threads
// all count and all tell, so that nobody relies on anybody.
// untimely: count
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int count;

static void *run(void *unused)
{
    pthread_mutex_lock(&mutex);
    count++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    usleep(20000);
#ifdef RIGHT
    run(NULL);
#else
    pthread_mutex_lock(&mutex);
    printf("%d\n", count);
    pthread_mutex_unlock(&mutex);
#endif
    pthread_join(thread, NULL);
    return 0;
}
