// A total is shown while the thread goes on: to count is what it is for, to put it back is not.
// untimely: total
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int total = 3;

static void *run(void *unused)
{
    usleep(20000);
    pthread_mutex_lock(&mutex);
#ifdef RIGHT
    total++;
#else
    total = 0;
#endif
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    pthread_mutex_lock(&mutex);
    int now = total;
    pthread_mutex_unlock(&mutex);
    printf("%d so far\n", now);
    pthread_join(thread, NULL);
    return 0;
}
