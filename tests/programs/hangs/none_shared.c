// What processes share another one may give.
#include "hang.h"
#include <sys/mman.h>
struct shared {
    sem_t semaphore;
    pthread_mutex_t mutex;
    pthread_cond_t condition;
    pthread_barrier_t barrier;
    pthread_rwlock_t lock;
};
static struct shared *shared;
static void *at_barrier(void *unused)
{
    pthread_barrier_wait(&shared->barrier);
    return unused;
}
static void *at_condition(void *unused)
{
    pthread_mutex_lock(&shared->mutex);
    pthread_cond_wait(&shared->condition, &shared->mutex);
    return unused;
}
static void *at_lock(void *unused)
{
    pthread_rwlock_rdlock(&shared->lock);
    pthread_rwlock_wrlock(&shared->lock);
    return unused;
}
int main(void)
{
    pthread_mutexattr_t mutex;
    pthread_condattr_t condition;
    pthread_barrierattr_t barrier;
    pthread_rwlockattr_t lock;
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pthread_mutexattr_init(&mutex);
    pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
    pthread_mutex_init(&shared->mutex, &mutex);
    pthread_condattr_init(&condition);
    pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
    pthread_cond_init(&shared->condition, &condition);
    pthread_barrierattr_init(&barrier);
    pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
    pthread_barrier_init(&shared->barrier, &barrier, 2);
    pthread_rwlockattr_init(&lock);
    pthread_rwlockattr_setpshared(&lock, PTHREAD_PROCESS_SHARED);
    pthread_rwlock_init(&shared->lock, &lock);
    sem_init(&shared->semaphore, 1, 0);
    start(at_barrier);
    start(at_condition);
    start(at_lock);
    sem_wait(&shared->semaphore);
}
