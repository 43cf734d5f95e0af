/* The functions that the interposers stand in front of. REAL(name) is the next
 * definition after ours; it can be asked for at any time, also before any
 * constructor ran. */
#ifndef PREPLAY_RUNTIME_REAL_H
#define PREPLAY_RUNTIME_REAL_H

#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
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
    REAL_FUNCTION(int, pthread_cancel, (pthread_t))                                                \
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
    REAL_MEMORY_TABLE(REAL_FUNCTION)

/* The functions that only the full runtime stands in front of. */
#define REAL_MEMORY_TABLE(REAL_FUNCTION)                                                           \
    REAL_FUNCTION(void *, memcpy, (void *, const void *, size_t))                                  \
    REAL_FUNCTION(void *, memmove, (void *, const void *, size_t))                                 \
    REAL_FUNCTION(void *, memset, (void *, int, size_t))                                           \
    REAL_FUNCTION(int, memcmp, (const void *, const void *, size_t))                               \
    REAL_FUNCTION(void *, memchr, (const void *, int, size_t))                                     \
    REAL_FUNCTION(void *, memrchr, (const void *, int, size_t))                                    \
    REAL_FUNCTION(void *, memmem, (const void *, size_t, const void *, size_t))                    \
    REAL_FUNCTION(void *, mempcpy, (void *, const void *, size_t))                                 \
    REAL_FUNCTION(size_t, strlen, (const char *))                                                  \
    REAL_FUNCTION(size_t, strnlen, (const char *, size_t))                                         \
    REAL_FUNCTION(char *, strcpy, (char *, const char *))                                          \
    REAL_FUNCTION(char *, stpcpy, (char *, const char *))                                          \
    REAL_FUNCTION(char *, strncpy, (char *, const char *, size_t))                                 \
    REAL_FUNCTION(char *, strcat, (char *, const char *))                                          \
    REAL_FUNCTION(char *, strncat, (char *, const char *, size_t))                                 \
    REAL_FUNCTION(int, strcmp, (const char *, const char *))                                       \
    REAL_FUNCTION(int, strncmp, (const char *, const char *, size_t))                              \
    REAL_FUNCTION(int, strcasecmp, (const char *, const char *))                                   \
    REAL_FUNCTION(int, strncasecmp, (const char *, const char *, size_t))                          \
    REAL_FUNCTION(char *, strchr, (const char *, int))                                             \
    REAL_FUNCTION(char *, strrchr, (const char *, int))                                            \
    REAL_FUNCTION(char *, strchrnul, (const char *, int))                                          \
    REAL_FUNCTION(char *, strstr, (const char *, const char *))                                    \
    REAL_FUNCTION(char *, strcasestr, (const char *, const char *))                                \
    REAL_FUNCTION(size_t, strspn, (const char *, const char *))                                    \
    REAL_FUNCTION(size_t, strcspn, (const char *, const char *))                                   \
    REAL_FUNCTION(char *, strpbrk, (const char *, const char *))                                   \
    REAL_FUNCTION(char *, strdup, (const char *))                                                  \
    REAL_FUNCTION(char *, strndup, (const char *, size_t))                                         \
    REAL_FUNCTION(ssize_t, read, (int, void *, size_t))                                            \
    REAL_FUNCTION(ssize_t, write, (int, const void *, size_t))                                     \
    REAL_FUNCTION(ssize_t, pread, (int, void *, size_t, off_t))                                    \
    REAL_FUNCTION(ssize_t, pwrite, (int, const void *, size_t, off_t))                             \
    REAL_FUNCTION(ssize_t, pread64, (int, void *, size_t, off64_t))                                \
    REAL_FUNCTION(ssize_t, pwrite64, (int, const void *, size_t, off64_t))                         \
    REAL_FUNCTION(ssize_t, readv, (int, const struct iovec *, int))                                \
    REAL_FUNCTION(ssize_t, writev, (int, const struct iovec *, int))                               \
    REAL_FUNCTION(ssize_t, recv, (int, void *, size_t, int))                                       \
    REAL_FUNCTION(ssize_t, send, (int, const void *, size_t, int))                                 \
    REAL_FUNCTION(ssize_t, recvfrom, (int, void *, size_t, int, struct sockaddr *, socklen_t *))   \
    REAL_FUNCTION(ssize_t, sendto,                                                                 \
                  (int, const void *, size_t, int, const struct sockaddr *, socklen_t))            \
    REAL_FUNCTION(ssize_t, recvmsg, (int, struct msghdr *, int))                                   \
    REAL_FUNCTION(ssize_t, sendmsg, (int, const struct msghdr *, int))                             \
    REAL_FUNCTION(ssize_t, preadv, (int, const struct iovec *, int, off_t))                        \
    REAL_FUNCTION(ssize_t, pwritev, (int, const struct iovec *, int, off_t))                       \
    REAL_FUNCTION(int, eventfd, (unsigned, int))                                                   \
    REAL_FUNCTION(int, dup, (int))                                                                 \
    REAL_FUNCTION(int, dup2, (int, int))                                                           \
    REAL_FUNCTION(int, dup3, (int, int, int))                                                      \
    REAL_FUNCTION(int, socket, (int, int, int))                                                    \
    REAL_FUNCTION(int, accept, (int, struct sockaddr *, socklen_t *))                              \
    REAL_FUNCTION(int, accept4, (int, struct sockaddr *, socklen_t *, int))                        \
    REAL_FUNCTION(int, connect, (int, const struct sockaddr *, socklen_t))                         \
    REAL_FUNCTION(int, epoll_ctl, (int, int, int, struct epoll_event *))                           \
    REAL_FUNCTION(int, epoll_wait, (int, struct epoll_event *, int, int))                          \
    REAL_FUNCTION(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))       \
    REAL_FUNCTION(ssize_t, getdelim, (char **, size_t *, int, FILE *))                             \
    REAL_FUNCTION(int, vsnprintf, (char *, size_t, const char *, va_list))                         \
    REAL_FUNCTION(int, vsprintf, (char *, const char *, va_list))                                  \
    REAL_FUNCTION(int, __vsnprintf_chk, (char *, size_t, int, size_t, const char *, va_list))      \
    REAL_FUNCTION(int, __vsprintf_chk, (char *, int, size_t, const char *, va_list))               \
    REAL_FUNCTION(int, pipe, (int *))                                                              \
    REAL_FUNCTION(int, pipe2, (int *, int))                                                        \
    REAL_FUNCTION(int, socketpair, (int, int, int, int *))                                         \
    REAL_FUNCTION(int, close, (int))                                                               \
    REAL_FUNCTION(size_t, fread, (void *, size_t, size_t, FILE *))                                 \
    REAL_FUNCTION(size_t, fwrite, (const void *, size_t, size_t, FILE *))                          \
    REAL_FUNCTION(char *, fgets, (char *, int, FILE *))                                            \
    REAL_FUNCTION(int, fputs, (const char *, FILE *))                                              \
    REAL_FUNCTION(int, puts, (const char *))                                                       \
    REAL_FUNCTION(void *, mmap, (void *, size_t, int, int, int, off_t))                            \
    REAL_FUNCTION(int, munmap, (void *, size_t))                                                   \
    REAL_FUNCTION(void, qsort, (void *, size_t, size_t, int (*)(const void *, const void *)))

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

/* The C++ library's function of this name, as `caller` would have found it without us. */
void *real_find_cplusplus(const char *name, uintptr_t caller);

#endif
