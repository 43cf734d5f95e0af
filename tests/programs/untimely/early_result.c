// The join comes too late: the sum is read, under its lock, while the thread may not have added
// yet.
// untimely: sum
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
long sum;

static void *run(void *unused)
{
    long mine = 0;
    for (int i = 1; i <= 100; i++)
        mine += i;
    pthread_mutex_lock(&mutex);
    sum = mine;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    usleep(20000);
#ifdef RIGHT
    pthread_join(thread, NULL);
#endif
    pthread_mutex_lock(&mutex);
    printf("%ld\n", sum);
    pthread_mutex_unlock(&mutex);
#ifndef RIGHT
    pthread_join(thread, NULL);
#endif
    return 0;
}
