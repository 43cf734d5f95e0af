// The harmless twin of upgrade: look and change under one exclusive hold.
// record: --blocks
// hb: none
// atomicity: none
// replay: none
#include "../patience.h"
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int highest;

__attribute__((noinline)) static void raise(int to)
{
    pthread_rwlock_wrlock(&lock);
    if (highest < to)
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
