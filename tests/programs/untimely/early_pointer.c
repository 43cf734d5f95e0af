// As Mozilla's thread that uses its own handle, which its creator stores after having started it.
// The right twin looks whether it is there, and waits if it is not.
// untimely: worker
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t stored = PTHREAD_COND_INITIALIZER;
struct worker {
    const char *name;
} * worker;

static void *run(void *unused)
{
    usleep(20000);
    pthread_mutex_lock(&mutex);
#ifdef RIGHT
    while (!worker)
        pthread_cond_wait(&stored, &mutex);
#endif
    puts(worker->name);
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    static struct worker first = {"first"};
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_mutex_lock(&mutex);
    worker = &first;
    pthread_cond_signal(&stored);
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
