// A limit that is checked by a function which is not inlined, several calls before what it limits.
// breaks: enter
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct pool {
    pthread_mutex_t mutex;
    unsigned users, most;
};

__attribute__((noinline)) static int is_full(struct pool *pool)
{
    int full = 0;
    pthread_mutex_lock(&pool->mutex);
    if (pool->users >= pool->most)
        full = 1;
    pthread_mutex_unlock(&pool->mutex);
    return full;
}

__attribute__((noinline)) static void join(struct pool *pool, unsigned by)
{
    pthread_mutex_lock(&pool->mutex);
#ifdef RIGHT
    if (pool->users < pool->most)
#endif
        pool->users += by;
    pthread_mutex_unlock(&pool->mutex);
}

__attribute__((noinline)) static void enter(struct pool *pool, unsigned by)
{
    if (!is_full(pool))
        join(pool, by);
}

static void *run(void *pool)
{
    usleep(20000);
    enter(pool, 1);
    return NULL;
}

int main(void)
{
    struct pool *pool = calloc(1, sizeof *pool);
    pthread_t thread;
    pthread_mutex_init(&pool->mutex, NULL);
    pool->most = 2;
    pthread_create(&thread, NULL, run, pool);
    enter(pool, 1);
    pthread_join(thread, NULL);
    printf("%u of %u\n", pool->users, pool->most);
    free(pool);
    return 0;
}
