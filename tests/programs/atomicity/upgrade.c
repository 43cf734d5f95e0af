// A readers-writer lock is let go between the look and the change: another writer fits in.
// record: --blocks
// hb: none
// atomicity: raise
// sound: raise
// replay: raise
#include "../patience.h"
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int highest;

__attribute__((noinline)) static void raise(int to)
{
    pthread_rwlock_rdlock(&lock);
    int lower = highest < to;
    pthread_rwlock_unlock(&lock);
    if (!lower)
        return;
    pthread_rwlock_wrlock(&lock);
    highest = to;
    pthread_rwlock_unlock(&lock);
}

static void *reset(void *unused)
{
    usleep(20000); /* late in the recorded run */
    pthread_rwlock_wrlock(&lock);
    highest = 100;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, reset, NULL);
    raise(7);
    pthread_join(thread, NULL);
    return 0;
}
