// A block is freed under the lock under which a thread uses it, that need not have come to it yet.
// untimely: use-after-free
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static void *run(void *argument)
{
    int *block = argument;
    pthread_mutex_lock(&mutex);
    int value = *block;
    pthread_mutex_unlock(&mutex);
    printf("%d\n", value);
    return NULL;
}

int main(void)
{
    pthread_t thread;
    int *block = malloc(sizeof *block);
    *block = 7;
    pthread_create(&thread, NULL, run, block);
    usleep(20000);
#ifdef RIGHT
    pthread_join(thread, NULL);
#endif
    pthread_mutex_lock(&mutex);
    free(block);
    pthread_mutex_unlock(&mutex);
#ifndef RIGHT
    pthread_join(thread, NULL);
#endif
    return 0;
}
