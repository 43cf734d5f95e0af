// The harmless twin of stale_read: both reads under one shared hold of a readers-writer lock.
// hb: none
// atomicity: none
// replay: none
#include <preplay/preplay.h>
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int checking = 50, savings = 50, sum;

static void *transfer(void *unused)
{
    pthread_rwlock_wrlock(&lock);
    checking = 40;
    savings = 60;
    pthread_rwlock_unlock(&lock);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, transfer, NULL);
    preplay_block_begin("total");
    pthread_rwlock_rdlock(&lock);
    sum = checking + savings;
    pthread_rwlock_unlock(&lock);
    preplay_block_end("total");
    pthread_join(thread, NULL);
    return 0;
}
