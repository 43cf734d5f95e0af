// Every kind of mutex and way to lock it.
// expect: acq(normal)
// expect: rel(normal)
// expect: acq(recursive)
// count 4: (recursive)
// expect: acq(checking)
// count 2: (checking)
// expect: acq(timed)
// expect: acq(spin)
// expect: rel(spin)
// expect: acq(c11)
// expect: w(guarded)
// hb: none
#include <errno.h>
#include <pthread.h>
#include <threads.h>
#include <time.h>

pthread_mutex_t normal = PTHREAD_MUTEX_INITIALIZER, recursive, checking, timed, robust;
pthread_spinlock_t spin;
mtx_t c11;
int guarded, held;

static void *other(void *unused)
{
    struct timespec soon = {0, 0};
    pthread_mutex_lock(&normal);
    guarded++;
    pthread_mutex_unlock(&normal);
    pthread_mutex_lock(&recursive); // count 4: two pairs, the inner ones dropped
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_trylock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_lock(&checking);
    if (pthread_mutex_lock(&checking) != EDEADLK)
        return (void *)1;
    pthread_mutex_unlock(&checking);
    if (pthread_mutex_unlock(&checking) != EPERM)
        return (void *)2;
    if (pthread_mutex_trylock(&timed) != EBUSY)
        return (void *)3;
    if (pthread_mutex_timedlock(&timed, &soon) != ETIMEDOUT)
        return (void *)4;
    pthread_spin_lock(&spin);
    pthread_spin_unlock(&spin);
    mtx_lock(&c11);
    mtx_unlock(&c11);
    return unused;
}

static void *dies(void *unused)
{
    pthread_mutex_lock(&robust);
    return unused;
}

int main(void)
{
    pthread_mutexattr_t kind;
    pthread_t thread;
    void *result;
    pthread_mutexattr_init(&kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&recursive, &kind);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_ERRORCHECK);
    pthread_mutex_init(&checking, &kind);
    pthread_mutex_init(&timed, NULL);
    pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_NORMAL);
    pthread_mutexattr_setrobust(&kind, PTHREAD_MUTEX_ROBUST);
    pthread_mutex_init(&robust, &kind);
    pthread_spin_init(&spin, 0);
    mtx_init(&c11, mtx_plain);
    pthread_mutex_lock(&timed);
    pthread_create(&thread, NULL, other, NULL);
    pthread_mutex_lock(&normal);
    guarded++;
    pthread_mutex_unlock(&normal);
    pthread_join(thread, &result);
    pthread_mutex_unlock(&timed);
    pthread_create(&thread, NULL, dies, NULL);
    pthread_join(thread, NULL);
    if (pthread_mutex_lock(&robust) != EOWNERDEAD)
        return 5;
    pthread_mutex_consistent(&robust);
    pthread_mutex_unlock(&robust);
    return result ? 1 : 0;
}
