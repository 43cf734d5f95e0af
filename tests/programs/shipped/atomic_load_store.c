// An atomic load and an atomic store instead of one atomic addition.
// breaks: count
#include "../patience.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

static atomic_int hits;

static void count(int by)
{
#ifdef RIGHT
    atomic_fetch_add(&hits, by);
#else
    int seen = atomic_load(&hits);
    atomic_store(&hits, seen + by);
#endif
}

static void *run(void *unused)
{
    usleep(20000);
    count(2);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    count(3);
    pthread_join(thread, NULL);
    printf("%d\n", atomic_load(&hits));
    return 0;
}
