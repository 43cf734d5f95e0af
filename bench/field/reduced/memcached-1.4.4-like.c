/* A reduction of memcached 1.4.4: items in a hash table under one cache lock. `incr` looks its item
   up under the lock and adds to it in place after that lock was given back; `set` replaces the
   value under the lock. The counters of a thread are guarded by its own lock, but `curr_conns` is
   not, and the clock is written by one thread and read by all. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { buckets = 16, keys = 4, workers = 4, rounds = 30 };

struct item {
    struct item *next;
    int key;
    unsigned refcount;
    char value[16];
};

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct item *table[buckets];
static struct {
    pthread_mutex_t lock;
    unsigned long sets, incrs;
} thread_stats[workers];
static unsigned curr_conns;
static unsigned current_time = 1;
static int stop;
static pthread_mutex_t stop_lock = PTHREAD_MUTEX_INITIALIZER;

static struct item *item_get(int key)
{
    pthread_mutex_lock(&cache_lock);
    struct item *it = table[key % buckets];
    while (it && it->key != key)
        it = it->next;
    if (it)
        it->refcount++;
    pthread_mutex_unlock(&cache_lock);
    return it;
}

static void item_remove(struct item *it)
{
    pthread_mutex_lock(&cache_lock);
    it->refcount--;
    pthread_mutex_unlock(&cache_lock);
}

static void set(int me, int key, int number)
{
    pthread_mutex_lock(&cache_lock);
    struct item *it = table[key % buckets];
    while (it && it->key != key)
        it = it->next;
    if (!it) {
        it = calloc(1, sizeof *it);
        it->key = key;
        it->next = table[key % buckets];
        table[key % buckets] = it;
    }
    snprintf(it->value, sizeof it->value, "%d", number);
    pthread_mutex_unlock(&cache_lock);
    pthread_mutex_lock(&thread_stats[me].lock);
    thread_stats[me].sets++;
    pthread_mutex_unlock(&thread_stats[me].lock);
}

static void add_delta(int me, int key, int delta)
{
    struct item *it = item_get(key);
    if (!it)
        return;
    char text[16];
    int value = atoi(it->value) + delta;
    snprintf(text, sizeof text, "%d", value);
    memcpy(it->value, text, sizeof text);
    item_remove(it);
    pthread_mutex_lock(&thread_stats[me].lock);
    thread_stats[me].incrs++;
    pthread_mutex_unlock(&thread_stats[me].lock);
}

static void *worker(void *argument)
{
    int me = (int)(long)argument;
    unsigned seen = 0;
    curr_conns++;
    for (int i = 0; i < rounds; i++) {
        if (i % 10 == me)
            set(me, i % keys, i);
        else
            add_delta(me, i % keys, 1);
        seen += current_time;
    }
    curr_conns--;
    return seen ? NULL : argument;
}

static void *clock_handler(void *argument)
{
    for (;;) {
        pthread_mutex_lock(&stop_lock);
        int now = stop;
        pthread_mutex_unlock(&stop_lock);
        if (now)
            return argument;
        current_time++;
        usleep(200);
    }
}

int main(void)
{
    pthread_t threads[workers], timer;
    unsigned long sets = 0, incrs = 0;
    for (int i = 0; i < workers; i++)
        pthread_mutex_init(&thread_stats[i].lock, NULL);
    pthread_create(&timer, NULL, clock_handler, NULL);
    for (int i = 0; i < workers; i++)
        pthread_create(&threads[i], NULL, worker, (void *)(long)i);
    for (int i = 0; i < workers; i++) { /* `stats`, while they work */
        pthread_mutex_lock(&thread_stats[i].lock);
        sets += thread_stats[i].sets;
        incrs += thread_stats[i].incrs;
        pthread_mutex_unlock(&thread_stats[i].lock);
    }
    for (int i = 0; i < workers; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_lock(&stop_lock);
    stop = 1;
    pthread_mutex_unlock(&stop_lock);
    pthread_join(timer, NULL);
    fprintf(stderr, "%lu sets, %lu incrs so far\n", sets, incrs);
    return 0;
}
