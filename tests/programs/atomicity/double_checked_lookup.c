// A cache is looked up, the value computed, the cache filled: two threads may both fill it.
// record: --blocks
// hb: none
// atomicity: lookup
// replay: lookup
#include "../patience.h"
#include <pthread.h>

pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
int cached, computations;

__attribute__((noinline)) static int find(void)
{
    pthread_rwlock_rdlock(&lock);
    int value = cached;
    pthread_rwlock_unlock(&lock);
    return value;
}

__attribute__((noinline)) static void fill(int value)
{
    pthread_rwlock_wrlock(&lock);
    cached = value;
    computations++;
    pthread_rwlock_unlock(&lock);
}

__attribute__((noinline)) static int lookup(void)
{
    int value = find();
    if (!value)
        fill(value = 42);
    return value;
}

static void *run(void *unused)
{
    usleep(20000); /* late in the recorded run */
    fill(lookup() + 1);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    lookup();
    pthread_join(thread, NULL);
    return 0;
}
