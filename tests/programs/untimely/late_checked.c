// The cache is dropped while the thread may still want it; the right twin's thread does without.
// untimely: cache
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int first = 42, *cache = &first;

static void *run(void *unused)
{
    pthread_mutex_lock(&mutex);
#ifdef RIGHT
    int value = cache ? *cache : 42;
#else
    int value = *cache;
#endif
    pthread_mutex_unlock(&mutex);
    printf("%d\n", value);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    usleep(20000);
    pthread_mutex_lock(&mutex);
    cache = NULL;
    pthread_mutex_unlock(&mutex);
    pthread_join(thread, NULL);
    return 0;
}
