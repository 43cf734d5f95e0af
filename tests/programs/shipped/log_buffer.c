// As Apache's buffered log: the end of the buffer is read, the entry copied, and the end moved on.
// breaks: log_write
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct {
    size_t used;
    char text[256];
} buffer;

static void log_write(const char *entry, size_t length)
{
    pthread_mutex_lock(&mutex);
    size_t used = buffer.used;
#ifndef RIGHT
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
#endif
    if (used + length < sizeof buffer.text) {
        memcpy(buffer.text + used, entry, length);
        buffer.used = used + length;
    }
    pthread_mutex_unlock(&mutex);
}

static void *run(void *unused)
{
    usleep(20000);
    log_write("second ", 7);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    log_write("first ", 6);
    pthread_join(thread, NULL);
    printf("%.*s\n", (int)buffer.used, buffer.text);
    return 0;
}
