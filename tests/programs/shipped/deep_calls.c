// The two halves lie several calls deep, in functions that are not inlined.
// breaks: renew
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long lease = 100;

__attribute__((noinline)) static long load(const long *from)
{
    pthread_mutex_lock(&mutex);
    long value = *from;
    pthread_mutex_unlock(&mutex);
    return value;
}

__attribute__((noinline)) static long lease_end(int slack)
{
    return load(&lease) - slack;
}

__attribute__((noinline)) static void store(long *to, long value)
{
    pthread_mutex_lock(&mutex);
    *to = value;
    pthread_mutex_unlock(&mutex);
}

__attribute__((noinline)) static void set_lease(long end)
{
    store(&lease, end);
}

__attribute__((noinline)) static void renew(int by)
{
#ifdef RIGHT
    pthread_mutex_lock(&mutex);
    lease = lease - 1 + by;
    pthread_mutex_unlock(&mutex);
#else
    set_lease(lease_end(1) + by);
#endif
}

static void *run(void *unused)
{
    usleep(20000);
    renew(10);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    renew(20);
    pthread_join(thread, NULL);
    printf("%ld %ld\n", lease_end(0), lease);
    if (lease < 0)
        set_lease(0);
    return 0;
}
