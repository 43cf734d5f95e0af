// Counters that are read, asserted and printed in one section and counted on in another are fine,
// and so are reference counts and flags. One update is made in two halves.
// breaks: sum
#include "../patience.h"
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int hits, users, seen_all, bytes, latest;

static void hold(int by)
{
    pthread_mutex_lock(&mutex);
    users += by;
    pthread_mutex_unlock(&mutex);
}

static void sum(int by)
{
    pthread_mutex_lock(&mutex);
    int before = bytes;
#ifndef RIGHT
    pthread_mutex_unlock(&mutex);
    pthread_mutex_lock(&mutex);
#endif
    bytes = before + by;
    pthread_mutex_unlock(&mutex);
}

static void visit(int by)
{
    hold(1);
    pthread_mutex_lock(&mutex);
    int count = hits, all = seen_all, previous = latest;
    pthread_mutex_unlock(&mutex);
    assert(count >= 0);
    if (count % 100 == 99)
        printf("%d visits after %d\n", count, previous);
    sum(by);
    pthread_mutex_lock(&mutex);
    hits++;
    latest = by; /* whatever it was */
    pthread_mutex_unlock(&mutex);
    if (!all) {
        pthread_mutex_lock(&mutex);
        seen_all = 1;
        pthread_mutex_unlock(&mutex);
    }
    hold(-1);
}

static void *run(void *unused)
{
    usleep(20000);
    visit(10);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    visit(20);
    pthread_join(thread, NULL);
    printf("%d %d %d %d %d\n", hits, users, seen_all, bytes, latest > 0);
    return 0;
}
