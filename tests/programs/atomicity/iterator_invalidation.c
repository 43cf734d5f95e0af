// A list is walked with a lock taken for each step; another thread clears it on the way.
// hb: none
// atomicity: walk
// replay: walk
// sound: walk
#include "../patience.h"
#include <preplay/preplay.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
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
    pthread_mutex_lock(&mutex);
    length = 0;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    int at = 0;
    pthread_create(&thread, NULL, clear, NULL);
    preplay_block_begin("walk");
    while (next(&at))
        ;
    preplay_block_end("walk");
    pthread_join(thread, NULL);
    return 0;
}
