// The log is closed while a thread that nobody joined may still write to it.
// untimely: log_name
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
const char *log_name = "log";

static void *run(void *unused)
{
    pthread_mutex_lock(&mutex);
    printf("%zu\n", strlen(log_name));
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
    log_name = NULL;
    pthread_mutex_unlock(&mutex);
#ifndef RIGHT
    pthread_join(thread, NULL);
#endif
    return 0;
}
