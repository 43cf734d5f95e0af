// Two stores belong together; a reader gets in between and sees the first alone.
// hb: none
// atomicity: update
// replay: update
// sound: update
#include "../patience.h"
#include <preplay/preplay.h>
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int state, seen;

static void set(int value)
{
    pthread_mutex_lock(&mutex);
    state = value;
    pthread_mutex_unlock(&mutex);
}

static void *look(void *unused)
{
    usleep(20000); /* late in the recorded run */
    pthread_mutex_lock(&mutex);
    seen = state;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, look, NULL);
    preplay_block_begin("update");
    set(-1);
    set(1);
    preplay_block_end("update");
    pthread_join(thread, NULL);
    return 0;
}
