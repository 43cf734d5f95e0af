// The harmless twin of iterator_invalidation: an outer lock keeps the list as it is.
// hb: none
// atomicity: none
// replay: none
#include "../patience.h"
#include <preplay/preplay.h>
#include <pthread.h>

pthread_mutex_t list = PTHREAD_MUTEX_INITIALIZER, mutex = PTHREAD_MUTEX_INITIALIZER;
int items[3] = {1, 2, 3}, length = 3, visited;

static int next(int *at)
{
    pthread_mutex_lock(&mutex);
    int more = *at < length;
    if (more)
        visited += items[(*at)++];
    pthread_mutex_unlock(&mutex);
    return more;
}

static void *clear(void *unused)
{
    usleep(20000); /* late in the recorded run */
    pthread_mutex_lock(&list);
    pthread_mutex_lock(&mutex);
    length = 0;
    pthread_mutex_unlock(&mutex);
    pthread_mutex_unlock(&list);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int at = 0;
    pthread_create(&thread, NULL, clear, NULL);
    preplay_block_begin("walk");
    pthread_mutex_lock(&list);
    while (next(&at))
        ;
    pthread_mutex_unlock(&list);
    preplay_block_end("walk");
    pthread_join(thread, NULL);
    return 0;
}
