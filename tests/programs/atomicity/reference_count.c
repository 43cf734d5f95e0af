// The last reference is dropped in one section and the object given up in another: somebody
// may take a new reference in between.
// record: --blocks
// hb: none
// atomicity: drop
// sound: drop
// replay: drop
#include "../patience.h"
#include <pthread.h>

pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int references = 1, alive = 1;

__attribute__((noinline)) static void drop(void)
{
    pthread_mutex_lock(&mutex);
    int left = --references;
    pthread_mutex_unlock(&mutex);
    if (left)
        return;
    pthread_mutex_lock(&mutex);
    alive = 0;
    pthread_mutex_unlock(&mutex);
}

static void *take(void *unused)
{
    usleep(20000); /* late in the recorded run */
    pthread_mutex_lock(&mutex);
    references++;
    pthread_mutex_unlock(&mutex);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, take, NULL);
    drop();
    pthread_join(thread, NULL);
    return 0;
}
