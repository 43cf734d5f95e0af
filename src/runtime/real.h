/* SPDX-License-Identifier: MIT */
/* The functions that the interposers stand in front of. REAL(name) is the next
 * definition after ours; it can be asked for at any time, also before any
 * constructor ran. */
#ifndef PREPLAY_RUNTIME_REAL_H
#define PREPLAY_RUNTIME_REAL_H

#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

struct aiocb;
struct aiocb64;
struct gaicb;
struct itimerval;
struct rusage;
struct sembuf;
struct utimbuf;

/* REAL_FUNCTION(result, name, parameters) */
#define REAL_TABLE(REAL_FUNCTION)                                                                  \
    REAL_FUNCTION(int, pthread_create,                                                             \
                  (pthread_t *, const pthread_attr_t *, void *(*)(void *), void *))                \
    REAL_FUNCTION(int, pthread_join, (pthread_t, void **))                                         \
    REAL_FUNCTION(int, pthread_detach, (pthread_t))                                                \
    REAL_FUNCTION(int, pthread_tryjoin_np, (pthread_t, void **))                                   \
    REAL_FUNCTION(int, pthread_cancel, (pthread_t))                                                \
    REAL_FUNCTION(int, pthread_key_create, (pthread_key_t *, void (*)(void *)))                    \
    REAL_FUNCTION(int, setuid, (uid_t))                                                            \
    REAL_FUNCTION(int, seteuid, (uid_t))                                                           \
    REAL_FUNCTION(int, setreuid, (uid_t, uid_t))                                                   \
    REAL_FUNCTION(int, setresuid, (uid_t, uid_t, uid_t))                                           \
    REAL_FUNCTION(int, setgid, (gid_t))                                                            \
    REAL_FUNCTION(int, setegid, (gid_t))                                                           \
    REAL_FUNCTION(int, setregid, (gid_t, gid_t))                                                   \
    REAL_FUNCTION(int, setresgid, (gid_t, gid_t, gid_t))                                           \
    REAL_FUNCTION(int, setgroups, (size_t, const gid_t *))                                         \
    REAL_FUNCTION(int, initgroups, (const char *, gid_t))                                          \
    REAL_FUNCTION(int, pthread_timedjoin_np, (pthread_t, void **, const struct timespec *))        \
    REAL_FUNCTION(int, pthread_clockjoin_np,                                                       \
                  (pthread_t, void **, clockid_t, const struct timespec *))                        \
    REAL_FUNCTION(int, pthread_mutex_init, (pthread_mutex_t *, const pthread_mutexattr_t *))       \
    REAL_FUNCTION(int, pthread_mutex_destroy, (pthread_mutex_t *))                                 \
    REAL_FUNCTION(int, pthread_mutex_lock, (pthread_mutex_t *))                                    \
    REAL_FUNCTION(int, pthread_mutex_trylock, (pthread_mutex_t *))                                 \
    REAL_FUNCTION(int, pthread_mutex_timedlock, (pthread_mutex_t *, const struct timespec *))      \
    REAL_FUNCTION(int, pthread_mutex_clocklock,                                                    \
                  (pthread_mutex_t *, clockid_t, const struct timespec *))                         \
    REAL_FUNCTION(int, pthread_mutex_unlock, (pthread_mutex_t *))                                  \
    REAL_FUNCTION(int, pthread_spin_init, (pthread_spinlock_t *, int))                             \
    REAL_FUNCTION(int, pthread_spin_destroy, (pthread_spinlock_t *))                               \
    REAL_FUNCTION(int, pthread_spin_lock, (pthread_spinlock_t *))                                  \
    REAL_FUNCTION(int, pthread_spin_trylock, (pthread_spinlock_t *))                               \
    REAL_FUNCTION(int, pthread_spin_unlock, (pthread_spinlock_t *))                                \
    REAL_FUNCTION(int, pthread_rwlock_init, (pthread_rwlock_t *, const pthread_rwlockattr_t *))    \
    REAL_FUNCTION(int, pthread_rwlock_destroy, (pthread_rwlock_t *))                               \
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
    REAL_FUNCTION(int, pthread_cond_destroy, (pthread_cond_t *))                                   \
    REAL_FUNCTION(int, pthread_cond_wait, (pthread_cond_t *, pthread_mutex_t *))                   \
    REAL_FUNCTION(int, pthread_cond_timedwait,                                                     \
                  (pthread_cond_t *, pthread_mutex_t *, const struct timespec *))                  \
    REAL_FUNCTION(int, pthread_cond_clockwait,                                                     \
                  (pthread_cond_t *, pthread_mutex_t *, clockid_t, const struct timespec *))       \
    REAL_FUNCTION(int, pthread_cond_signal, (pthread_cond_t *))                                    \
    REAL_FUNCTION(int, pthread_cond_broadcast, (pthread_cond_t *))                                 \
    REAL_FUNCTION(int, pthread_barrier_init,                                                       \
                  (pthread_barrier_t *, const pthread_barrierattr_t *, unsigned))                  \
    REAL_FUNCTION(int, pthread_barrier_destroy, (pthread_barrier_t *))                             \
    REAL_FUNCTION(int, pthread_barrier_wait, (pthread_barrier_t *))                                \
    REAL_FUNCTION(int, pthread_once, (pthread_once_t *, void (*)(void)))                           \
    REAL_FUNCTION(int, sem_init, (sem_t *, int, unsigned))                                         \
    REAL_FUNCTION(int, sem_destroy, (sem_t *))                                                     \
    REAL_FUNCTION(int, sem_wait, (sem_t *))                                                        \
    REAL_FUNCTION(int, sem_trywait, (sem_t *))                                                     \
    REAL_FUNCTION(int, sem_timedwait, (sem_t *, const struct timespec *))                          \
    REAL_FUNCTION(int, sem_clockwait, (sem_t *, clockid_t, const struct timespec *))               \
    REAL_FUNCTION(int, clock_gettime, (clockid_t, struct timespec *))                              \
    REAL_FUNCTION(int, clock_nanosleep,                                                            \
                  (clockid_t, int, const struct timespec *, struct timespec *))                    \
    REAL_FUNCTION(int, timespec_get, (struct timespec *, int))                                     \
    REAL_FUNCTION(void, flockfile, (FILE *))                                                       \
    REAL_FUNCTION(int, ftrylockfile, (FILE *))                                                     \
    REAL_FUNCTION(void, funlockfile, (FILE *))                                                     \
    REAL_FUNCTION(int, sem_post, (sem_t *))                                                        \
    REAL_FUNCTION(int, mtx_init, (mtx_t *, int))                                                   \
    REAL_FUNCTION(void, mtx_destroy, (mtx_t *))                                                    \
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
    REAL_FUNCTION(int, prctl, (int, unsigned long, unsigned long, unsigned long, unsigned long))   \
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
    REAL_FUNCTION(ssize_t, getdelim, (char **, size_t *, int, FILE *))                             \
    REAL_FUNCTION(int, vsnprintf, (char *, size_t, const char *, va_list))                         \
    REAL_FUNCTION(int, vsprintf, (char *, const char *, va_list))                                  \
    REAL_FUNCTION(int, __vsnprintf_chk, (char *, size_t, int, size_t, const char *, va_list))      \
    REAL_FUNCTION(int, __vsprintf_chk, (char *, int, size_t, const char *, va_list))               \
    REAL_FUNCTION(size_t, fread, (void *, size_t, size_t, FILE *))                                 \
    REAL_FUNCTION(size_t, fwrite, (const void *, size_t, size_t, FILE *))                          \
    REAL_FUNCTION(char *, fgets, (char *, int, FILE *))                                            \
    REAL_FUNCTION(int, fputs, (const char *, FILE *))                                              \
    REAL_FUNCTION(int, puts, (const char *))                                                       \
    REAL_FUNCTION(void *, mmap, (void *, size_t, int, int, int, off_t))                            \
    REAL_FUNCTION(int, munmap, (void *, size_t))                                                   \
    REAL_FUNCTION(void, qsort, (void *, size_t, size_t, int (*)(const void *, const void *)))      \
    REAL_FUNCTION(void, qsort_r,                                                                   \
                  (void *, size_t, size_t, int (*)(const void *, const void *, void *), void *))   \
    REAL_EDGE_TABLE(REAL_FUNCTION)

/* What hands over from thread to thread through the kernel, or through threads of the library's. */
#define REAL_EDGE_TABLE(REAL_FUNCTION)                                                             \
    REAL_FUNCTION(int, eventfd, (unsigned, int))                                                   \
    REAL_FUNCTION(int, eventfd_read, (int, uint64_t *))                                            \
    REAL_FUNCTION(int, eventfd_write, (int, uint64_t))                                             \
    REAL_FUNCTION(int, close, (int))                                                               \
    REAL_FUNCTION(int, pipe, (int *))                                                              \
    REAL_FUNCTION(int, pipe2, (int *, int))                                                        \
    REAL_FUNCTION(int, socket, (int, int, int))                                                    \
    REAL_FUNCTION(int, dup, (int))                                                                 \
    REAL_FUNCTION(int, dup2, (int, int))                                                           \
    REAL_FUNCTION(int, dup3, (int, int, int))                                                      \
    REAL_FUNCTION(int, fcntl, (int, int, ...))                                                     \
    REAL_FUNCTION(int, fcntl64, (int, int, ...))                                                   \
    REAL_FUNCTION(int, flock, (int, int))                                                          \
    REAL_FUNCTION(int, socketpair, (int, int, int, int *))                                         \
    REAL_FUNCTION(int, listen, (int, int))                                                         \
    REAL_FUNCTION(int, accept, (int, struct sockaddr *, socklen_t *))                              \
    REAL_FUNCTION(int, accept4, (int, struct sockaddr *, socklen_t *, int))                        \
    REAL_FUNCTION(int, connect, (int, const struct sockaddr *, socklen_t))                         \
    REAL_FUNCTION(int, bind, (int, const struct sockaddr *, socklen_t))                            \
    REAL_FUNCTION(int, shutdown, (int, int))                                                       \
    REAL_FUNCTION(int, poll, (struct pollfd *, nfds_t, int))                                       \
    REAL_FUNCTION(int, ppoll,                                                                      \
                  (struct pollfd *, nfds_t, const struct timespec *, const sigset_t *))            \
    REAL_FUNCTION(int, select, (int, fd_set *, fd_set *, fd_set *, struct timeval *))              \
    REAL_FUNCTION(int, pselect,                                                                    \
                  (int, fd_set *, fd_set *, fd_set *, const struct timespec *, const sigset_t *))  \
    REAL_FUNCTION(int, epoll_create, (int))                                                        \
    REAL_FUNCTION(int, epoll_create1, (int))                                                       \
    REAL_FUNCTION(int, epoll_ctl, (int, int, int, struct epoll_event *))                           \
    REAL_FUNCTION(int, epoll_wait, (int, struct epoll_event *, int, int))                          \
    REAL_FUNCTION(int, epoll_pwait, (int, struct epoll_event *, int, int, const sigset_t *))       \
    REAL_FUNCTION(int, epoll_pwait2,                                                               \
                  (int, struct epoll_event *, int, const struct timespec *, const sigset_t *))     \
    REAL_FUNCTION(int, timerfd_create, (int, int))                                                 \
    REAL_FUNCTION(int, timerfd_settime,                                                            \
                  (int, int, const struct itimerspec *, struct itimerspec *))                      \
    REAL_FUNCTION(int, signalfd, (int, const sigset_t *, int))                                     \
    REAL_FUNCTION(int, inotify_init, (void))                                                       \
    REAL_FUNCTION(int, inotify_init1, (int))                                                       \
    REAL_FUNCTION(int, mq_send, (int, const char *, size_t, unsigned))                             \
    REAL_FUNCTION(int, mq_timedsend,                                                               \
                  (int, const char *, size_t, unsigned, const struct timespec *))                  \
    REAL_FUNCTION(ssize_t, mq_receive, (int, char *, size_t, unsigned *))                          \
    REAL_FUNCTION(ssize_t, mq_timedreceive,                                                        \
                  (int, char *, size_t, unsigned *, const struct timespec *))                      \
    REAL_FUNCTION(int, mq_notify, (int, const struct sigevent *))                                  \
    REAL_FUNCTION(int, msgsnd, (int, const void *, size_t, int))                                   \
    REAL_FUNCTION(ssize_t, msgrcv, (int, void *, size_t, long, int))                               \
    REAL_FUNCTION(int, semop, (int, struct sembuf *, size_t))                                      \
    REAL_FUNCTION(int, semtimedop, (int, struct sembuf *, size_t, const struct timespec *))        \
    REAL_FUNCTION(int, semctl, (int, int, int, ...))                                               \
    REAL_FUNCTION(int, sigaction, (int, const struct sigaction *, struct sigaction *))             \
    REAL_FUNCTION(sighandler_t, signal, (int, sighandler_t))                                       \
    REAL_FUNCTION(sighandler_t, sysv_signal, (int, sighandler_t))                                  \
    REAL_FUNCTION(sighandler_t, bsd_signal, (int, sighandler_t))                                   \
    REAL_FUNCTION(sighandler_t, ssignal, (int, sighandler_t))                                      \
    REAL_FUNCTION(sighandler_t, sigset, (int, sighandler_t))                                       \
    REAL_FUNCTION(int, kill, (pid_t, int))                                                         \
    REAL_FUNCTION(int, sigqueue, (pid_t, int, const union sigval))                                 \
    REAL_FUNCTION(int, raise, (int))                                                               \
    REAL_FUNCTION(int, pthread_kill, (pthread_t, int))                                             \
    REAL_FUNCTION(int, pthread_sigqueue, (pthread_t, int, const union sigval))                     \
    REAL_FUNCTION(int, tgkill, (pid_t, pid_t, int))                                                \
    REAL_FUNCTION(unsigned, alarm, (unsigned))                                                     \
    REAL_FUNCTION(int, setitimer, (int, const struct itimerval *, struct itimerval *))             \
    REAL_FUNCTION(int, sigwait, (const sigset_t *, int *))                                         \
    REAL_FUNCTION(int, sigwaitinfo, (const sigset_t *, siginfo_t *))                               \
    REAL_FUNCTION(int, sigtimedwait, (const sigset_t *, siginfo_t *, const struct timespec *))     \
    REAL_FUNCTION(int, timer_create, (clockid_t, struct sigevent *, timer_t *))                    \
    REAL_FUNCTION(int, timer_settime,                                                              \
                  (timer_t, int, const struct itimerspec *, struct itimerspec *))                  \
    REAL_FUNCTION(int, getaddrinfo_a, (int, struct gaicb **, int, struct sigevent *))              \
    REAL_FUNCTION(int, gai_error, (struct gaicb *))                                                \
    REAL_FUNCTION(int, aio_read, (struct aiocb *))                                                 \
    REAL_FUNCTION(int, aio_read64, (struct aiocb64 *))                                             \
    REAL_FUNCTION(int, aio_write, (struct aiocb *))                                                \
    REAL_FUNCTION(int, aio_write64, (struct aiocb64 *))                                            \
    REAL_FUNCTION(int, aio_error, (const struct aiocb *))                                          \
    REAL_FUNCTION(int, aio_error64, (const struct aiocb64 *))                                      \
    REAL_FUNCTION(ssize_t, aio_return, (struct aiocb *))                                           \
    REAL_FUNCTION(ssize_t, aio_return64, (struct aiocb64 *))                                       \
    REAL_FUNCTION(int, aio_suspend, (const struct aiocb *const *, int, const struct timespec *))   \
    REAL_FUNCTION(int, aio_suspend64,                                                              \
                  (const struct aiocb64 *const *, int, const struct timespec *))                   \
    REAL_FUNCTION(int, lio_listio, (int, struct aiocb *const *, int, struct sigevent *))           \
    REAL_FUNCTION(int, lio_listio64, (int, struct aiocb64 *const *, int, struct sigevent *))       \
    REAL_FUNCTION(int, __cxa_atexit, (void (*)(void *), void *, void *))                           \
    REAL_FUNCTION(pid_t, fork, (void))                                                             \
    REAL_FUNCTION(int, wait, (int *))                                                              \
    REAL_FUNCTION(int, waitpid, (int, int *, int))                                                 \
    REAL_FUNCTION(int, wait3, (int *, int, struct rusage *))                                       \
    REAL_FUNCTION(int, wait4, (int, int *, int, struct rusage *))                                  \
    REAL_FUNCTION(int, waitid, (idtype_t, id_t, siginfo_t *, int))                                 \
    REAL_FUNCTION(int, posix_spawn,                                                                \
                  (int *, const char *, const void *, const void *, char *const *, char *const *)) \
    REAL_FUNCTION(int, posix_spawnp,                                                               \
                  (int *, const char *, const void *, const void *, char *const *, char *const *)) \
    REAL_FUNCTION(FILE *, popen, (const char *, const char *))                                     \
    REAL_FUNCTION(int, pclose, (FILE *))                                                           \
    REAL_FUNCTION(int, recvmmsg, (int, struct mmsghdr *, unsigned, int, struct timespec *))        \
    REAL_FUNCTION(int, sendmmsg, (int, struct mmsghdr *, unsigned, int))                           \
    REAL_FUNCTION(ssize_t, splice, (int, off64_t *, int, off64_t *, size_t, unsigned))             \
    REAL_FUNCTION(ssize_t, tee, (int, int, size_t, unsigned))                                      \
    REAL_FUNCTION(ssize_t, sendfile, (int, int, off_t *, size_t))                                  \
    REAL_FUNCTION(ssize_t, sendfile64, (int, int, off64_t *, size_t))                              \
    REAL_FUNCTION(FILE *, fdopen, (int, const char *))                                             \
    REAL_FUNCTION(int, fclose, (FILE *))                                                           \
    REAL_FUNCTION(int, fgetc, (FILE *))                                                            \
    REAL_FUNCTION(int, getc, (FILE *))                                                             \
    REAL_FUNCTION(int, _IO_getc, (FILE *))                                                         \
    REAL_FUNCTION(int, fputc, (int, FILE *))                                                       \
    REAL_FUNCTION(int, putc, (int, FILE *))                                                        \
    REAL_FUNCTION(int, _IO_putc, (int, FILE *))                                                    \
    REAL_FUNCTION(int, fflush, (FILE *))                                                           \
    REAL_FUNCTION(int, vfprintf, (FILE *, const char *, va_list))                                  \
    REAL_FUNCTION(int, __vfprintf_chk, (FILE *, int, const char *, va_list))                       \
    REAL_FUNCTION(int, __isoc99_vfscanf, (FILE *, const char *, va_list))                          \
    REAL_FUNCTION(int, vdprintf, (int, const char *, va_list))                                     \
    REAL_FUNCTION(int, open, (const char *, int, ...))                                             \
    REAL_FUNCTION(int, open64, (const char *, int, ...))                                           \
    REAL_FUNCTION(int, openat, (int, const char *, int, ...))                                      \
    REAL_FUNCTION(int, openat64, (int, const char *, int, ...))                                    \
    REAL_FUNCTION(int, creat, (const char *, mode_t))                                              \
    REAL_FUNCTION(int, creat64, (const char *, mode_t))                                            \
    REAL_FUNCTION(int, rename, (const char *, const char *))                                       \
    REAL_FUNCTION(int, unlink, (const char *))                                                     \
    REAL_FUNCTION(int, mkdir, (const char *, mode_t))                                              \
    REAL_FUNCTION(int, rmdir, (const char *))                                                      \
    REAL_FUNCTION(int, chmod, (const char *, mode_t))                                              \
    REAL_FUNCTION(int, fchmod, (int, mode_t))                                                      \
    REAL_FUNCTION(int, fchmodat, (int, const char *, mode_t, int))                                 \
    REAL_FUNCTION(int, chown, (const char *, uid_t, gid_t))                                        \
    REAL_FUNCTION(int, lchown, (const char *, uid_t, gid_t))                                       \
    REAL_FUNCTION(int, fchown, (int, uid_t, gid_t))                                                \
    REAL_FUNCTION(int, fchownat, (int, const char *, uid_t, gid_t, int))                           \
    REAL_FUNCTION(int, utime, (const char *, const struct utimbuf *))                              \
    REAL_FUNCTION(int, utimes, (const char *, const struct timeval *))                             \
    REAL_FUNCTION(int, futimens, (int, const struct timespec *))                                   \
    REAL_FUNCTION(int, utimensat, (int, const char *, const struct timespec *, int))               \
    REAL_FUNCTION(int, shm_open, (const char *, int, mode_t))                                      \
    REAL_FUNCTION(int, shm_unlink, (const char *))                                                 \
    REAL_FUNCTION(sem_t *, sem_open, (const char *, int, ...))                                     \
    REAL_FUNCTION(int, sem_unlink, (const char *))                                                 \
    REAL_FUNCTION(int, __open_2, (const char *, int))                                              \
    REAL_FUNCTION(int, __open64_2, (const char *, int))                                            \
    REAL_FUNCTION(int, __openat_2, (int, const char *, int))                                       \
    REAL_FUNCTION(int, __openat64_2, (int, const char *, int))                                     \
    REAL_FUNCTION(FILE *, fopen, (const char *, const char *))                                     \
    REAL_FUNCTION(FILE *, fopen64, (const char *, const char *))                                   \
    REAL_FUNCTION(FILE *, freopen, (const char *, const char *, FILE *))                           \
    REAL_FUNCTION(FILE *, freopen64, (const char *, const char *, FILE *))                         \
    REAL_FUNCTION(int, truncate, (const char *, off_t))                                            \
    REAL_FUNCTION(int, truncate64, (const char *, off64_t))                                        \
    REAL_FUNCTION(int, remove, (const char *))                                                     \
    REAL_FUNCTION(int, unlinkat, (int, const char *, int))                                         \
    REAL_FUNCTION(int, mkdirat, (int, const char *, mode_t))                                       \
    REAL_FUNCTION(int, mkfifo, (const char *, mode_t))                                             \
    REAL_FUNCTION(int, symlink, (const char *, const char *))                                      \
    REAL_FUNCTION(int, symlinkat, (const char *, int, const char *))                               \
    REAL_FUNCTION(int, link, (const char *, const char *))                                         \
    REAL_FUNCTION(int, linkat, (int, const char *, int, const char *, int))                        \
    REAL_FUNCTION(int, renameat, (int, const char *, int, const char *))                           \
    REAL_FUNCTION(int, renameat2, (int, const char *, int, const char *, unsigned))                \
    REAL_FUNCTION(int, mkstemp, (char *))                                                          \
    REAL_FUNCTION(int, mkstemp64, (char *))                                                        \
    REAL_FUNCTION(int, mkostemp, (char *, int))                                                    \
    REAL_FUNCTION(int, mkostemp64, (char *, int))                                                  \
    REAL_FUNCTION(int, mkstemps, (char *, int))                                                    \
    REAL_FUNCTION(int, mkstemps64, (char *, int))                                                  \
    REAL_FUNCTION(int, mkostemps, (char *, int, int))                                              \
    REAL_FUNCTION(int, mkostemps64, (char *, int, int))                                            \
    REAL_FUNCTION(char *, mkdtemp, (char *))

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
