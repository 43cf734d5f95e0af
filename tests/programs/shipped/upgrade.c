// A read lock is given back before the write lock is taken.
// breaks: raise
#include "../patience.h"
#include <pthread.h>
#include <stdio.h>

static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static struct {
    int level, limit;
} tank = {1, 100};

static void raise(int by)
{
#ifdef RIGHT
    pthread_rwlock_wrlock(&lock);
    int level = tank.level;
#else
    pthread_rwlock_rdlock(&lock);
    int level = tank.level;
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_wrlock(&lock);
#endif
    tank.level = level * 2 + by;
    pthread_rwlock_unlock(&lock);
}

static void *run(void *unused)
{
    usleep(20000);
    raise(7);
    return unused;
}

int main(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, run, NULL);
    raise(3);
    pthread_join(thread, NULL);
    printf("%d of %d\n", tank.level, tank.limit);
    return 0;
}
