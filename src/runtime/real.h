/* The functions that the interposers stand in front of. REAL(name) is the next
 * definition after ours; it can be asked for at any time, also before any
 * constructor ran. */
#ifndef PREPLAY_RUNTIME_REAL_H
#define PREPLAY_RUNTIME_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <threads.h>
#include <time.h>

/* REAL_FUNCTION(result, name, parameters) */
#define REAL_TABLE(REAL_FUNCTION)                                                                  \
    REAL_FUNCTION(int, pthread_create,                                                             \
                  (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                \
    REAL_FUNCTION(int, pthread_join, (pthread_t, void **))                                         \
    REAL_FUNCTION(int, pthread_tryjoin_np, (pthread_t, void **))                                   \
    REAL_FUNCTION(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))        \
    REAL_FUNCTION(int, pthread_clockjoin_np,                                                       \
                  (pthread_t, void **, clockid_t, const struct timespec *))                        \
    REAL_FUNCTION(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))       \
    REAL_FUNCTION(int, pthread_mutex_lock, (pthread_mutex_t *))                                    \
    REAL_FUNCTION(int, pthread_mutex_trylock, (pthread_mutex_t *))                                 \
    REAL_FUNCTION(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))      \
    REAL_FUNCTION(int, pthread_mutex_clocklock,                                                    \
                  (pthread_mutex_t *, clockid_t, const struct timespec *))                         \
    REAL_FUNCTION(int, pthread_mutex_unlock, (pthread_mutex_t *))                                  \
    REAL_FUNCTION(int, pthread_spin_init, (pthread_spinlock_t *, int))                             \
    REAL_FUNCTION(int, pthread_spin_lock, (pthread_spinlock_t *))                                  \
    REAL_FUNCTION(int, pthread_spin_trylock, (pthread_spinlock_t *))                               \
    REAL_FUNCTION(int, pthread_spin_unlock, (pthread_spinlock_t *))                                \
    REAL_FUNCTION(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))    \
    REAL_FUNCTION(int, pthread_rwlock_rdlock, (pthread_rwlock_t *))                                \
    REAL_FUNCTION(int, pthread_rwlock_tryrdlock, (pthread_rwlock_t *))                             \
    REAL_FUNCTION(int, pthread_rwlock_timedrdlock, (pthread_rwlock_t *, const struct timespec *))  \
    REAL_FUNCTION(int, pthread_rwlock_clockrdlock,                                                 \
                  (pthread_rwlock_t *, clockid_t, const struct timespec *))                        \
    REAL_FUNCTION(int, pthread_rwlock_wrlock, (pthread_rwlock_t *))                                \
    REAL_FUNCTION(int, pthread_rwlock_trywrlock, (pthread_rwlock_t *))                             \
    REAL_FUNCTION(int, pthread_rwlock_timedwrlock, (pthread_rwlock_t *, const struct timespec *))  \
    REAL_FUNCTION(int, pthread_rwlock_clockwrlock,                                                 \
                  (pthread_rwlock_t *, clockid_t, const struct timespec *))                        \
    REAL_FUNCTION(int, pthread_rwlock_unlock, (pthread_rwlock_t *))                                \
    REAL_FUNCTION(int, pthread_cond_init, (pthread_cond_t *, const pthread_condattr_t *))          \
    REAL_FUNCTION(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                   \
    REAL_FUNCTION(int, pthread_cond_timedwait,                                                     \
                  (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                  \
    REAL_FUNCTION(int, pthread_cond_clockwait,                                                     \
                  (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))       \
    REAL_FUNCTION(int, pthread_cond_signal, (pthread_cond_t *))                                    \
    REAL_FUNCTION(int, pthread_cond_broadcast, (pthread_cond_t *))                                 \
    REAL_FUNCTION(int, pthread_barrier_init,                                                       \
                  (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))                  \
    REAL_FUNCTION(int, pthread_barrier_wait, (pthread_barrier_t *))                                \
    REAL_FUNCTION(int, pthread_once, (pthread_once_t *, void (*)(void)))                           \
    REAL_FUNCTION(int, sem_init, (sem_t *, int, unsigned))                                         \
    REAL_FUNCTION(int, sem_wait, (sem_t *))                                                        \
    REAL_FUNCTION(int, sem_trywait, (sem_t *))                                                     \
    REAL_FUNCTION(int, sem_timedwait, (sem_t *, const struct timespec *))                          \
    REAL_FUNCTION(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))               \
    REAL_FUNCTION(int, sem_post, (sem_t *))                                                        \
    REAL_FUNCTION(int, mtx_init, (mtx_t *, int))                                                   \
    REAL_FUNCTION(int, mtx_lock, (mtx_t *))                                                        \
    REAL_FUNCTION(int, mtx_trylock, (mtx_t *))                                                     \
    REAL_FUNCTION(int, mtx_timedlock, (mtx_t *, const struct timespec *))                          \
    REAL_FUNCTION(int, mtx_unlock, (mtx_t *))                                                      \
    REAL_FUNCTION(int, cnd_init, (cnd_t *))                                                        \
    REAL_FUNCTION(int, cnd_wait, (cnd_t *, mtx_t *))                                               \
    REAL_FUNCTION(int, cnd_timedwait, (cnd_t *, mtx_t *, const struct timespec *))                 \
    REAL_FUNCTION(int, cnd_signal, (cnd_t *))                                                      \
    REAL_FUNCTION(int, cnd_broadcast, (cnd_t *))                                                   \
    REAL_FUNCTION(void, call_once, (once_flag *, void (*)(void)))                                  \
    REAL_FUNCTION(int, __cxa_guard_acquire, (void *))                                              \
    REAL_FUNCTION(void, __cxa_guard_release, (void *))                                             \
    REAL_FUNCTION(void, __cxa_guard_abort, (void *))                                               \
    REAL_FUNCTION(void, longjmp, (void *, int))                                                    \
    REAL_FUNCTION(void, siglongjmp, (void *, int))                                                 \
    REAL_FUNCTION(void, __longjmp_chk, (void *, int))                                              \
    REAL_FUNCTION(void *, memcpy, (void *, const void *, size_t))                                  \
    REAL_FUNCTION(void *, memmove, (void *, const void *, size_t))                                 \
    REAL_FUNCTION(void *, memset, (void *, int, size_t))                                           \
    REAL_FUNCTION(void *, mmap, (void *, size_t, int, int, int, off_t))                            \
    REAL_FUNCTION(int, munmap, (void *, size_t))

struct real {
    bool ready;
#define REAL_FUNCTION(result, name, parameters) result(*name) parameters;
    REAL_TABLE(REAL_FUNCTION)
#undef REAL_FUNCTION
};

extern struct real real;
void real_resolve(void);

static inline const struct real *real_ready(void)
{
    if (__builtin_expect(!__atomic_load_n(&real.ready, __ATOMIC_ACQUIRE), 0))
        real_resolve();
    return &real;
}

#define REAL(name) (real_ready()->name)

#endif
