/* SPDX-License-Identifier: MIT */
/* poll() and its kin, and waiting for children: others run meanwhile. */
#include "stepper/doubts.h"
#include "stepper/operations.h"
#include "stepper/outside.h"
#include "stepper/real.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/time.h>
#include <sys/wait.h>

#define MILLISECOND UINT64_C(1000000)

static uint64_t of_milliseconds(int limit)
{
    return limit < 0 ? OUTSIDE_FOR_EVER : (uint64_t)limit * MILLISECOND;
}

static uint64_t of_timespec(const struct timespec *limit)
{
    return limit ? (uint64_t)limit->tv_sec * 1000 * MILLISECOND + (uint64_t)limit->tv_nsec
                 : OUTSIDE_FOR_EVER;
}

/* The thread, if it is not alone. */
static struct stepped *one_of_many(void)
{
    struct stepped *self = stepped_current();
    return self && stepper->threads > 1 ? self : NULL;
}

/* Of one of these files. 1: it is ready, 0: the time is over, -1: it was interrupted. Who asks
 * without waiting lets others go first. */
static int wait_for_any(struct stepped *self, struct pollfd *files, uint32_t count, uint64_t limit,
                        uintptr_t pc)
{
    struct outside what = {.files = files, .count = count, .inner = true};
    for (uint32_t i = 0; i < count; i++)
        what.inner &= outside_is_inner(files[i].fd);
    if (!count && limit != OUTSIDE_FOR_EVER) {
        step_rest(self, limit);
        return 0;
    }
    doubt_threads(STEP_BY_INPUT);
    enum outside_end end = limit ? outside_wait(self, &what, limit, pc) : OUTSIDE_READY;
    if (!limit)
        step_rest(self, 0);
    if (end == OUTSIDE_READY && limit)
        self->reads = 0; /* a loop around this does not only read */
    if (end == OUTSIDE_INTERRUPTED)
        errno = EINTR;
    return end == OUTSIDE_READY ? 1 : end == OUTSIDE_LATE ? 0 : -1;
}

/* --- poll ---------------------------------------------------------------------------------------
 */

static int step_poll(struct stepped *self, struct pollfd *files, nfds_t count, uint64_t limit,
                     const sigset_t *mask, uintptr_t pc)
{
    int ready = wait_for_any(self, files, (uint32_t)count, limit, pc);
    return ready < 0 ? -1 : REAL(ppoll)(files, count, &(struct timespec){0}, mask);
}

FUNCTION(int, poll, (struct pollfd * files, nfds_t count, int limit))
{
    struct stepped *self = one_of_many();
    return self ? step_poll(self, files, count, of_milliseconds(limit), NULL, CALLER)
                : REAL(poll)(files, count, limit);
}

FUNCTION(int, ppoll,
         (struct pollfd * files, nfds_t count, const struct timespec *limit, const sigset_t *mask))
{
    struct stepped *self = one_of_many();
    return self ? step_poll(self, files, count, of_timespec(limit), mask, CALLER)
                : REAL(ppoll)(files, count, limit, mask);
}

/* --- select -------------------------------------------------------------------------------------
 */

static uint32_t files_of(int count, const fd_set *read, const fd_set *written, const fd_set *failed,
                         struct pollfd *files)
{
    uint32_t used = 0;
    for (int file = 0; file < count && file < FD_SETSIZE; file++) {
        short events = (short)((read && FD_ISSET(file, read) ? POLLIN : 0) |
                               (written && FD_ISSET(file, written) ? POLLOUT : 0) |
                               (failed && FD_ISSET(file, failed) ? POLLPRI : 0));
        if (events)
            files[used++] = (struct pollfd){.fd = file, .events = events};
    }
    return used;
}

static int step_select(struct stepped *self, int count, fd_set *sets[3], uint64_t limit,
                       const sigset_t *mask, uintptr_t pc)
{
    struct pollfd files[FD_SETSIZE];
    uint32_t used = files_of(count, sets[0], sets[1], sets[2], files);
    int ready = wait_for_any(self, files, used, limit, pc);
    return ready < 0 ? -1
                     : REAL(pselect)(count, sets[0], sets[1], sets[2], &(struct timespec){0}, mask);
}

FUNCTION(int, select,
         (int count, fd_set *read, fd_set *written, fd_set *failed, struct timeval *limit))
{
    struct stepped *self = one_of_many();
    uint64_t length =
        limit ? (uint64_t)limit->tv_sec * 1000 * MILLISECOND + (uint64_t)limit->tv_usec * 1000
              : OUTSIDE_FOR_EVER;
    return self
               ? step_select(self, count, (fd_set *[]){read, written, failed}, length, NULL, CALLER)
               : REAL(select)(count, read, written, failed, limit);
}

FUNCTION(int, pselect,
         (int count, fd_set *read, fd_set *written, fd_set *failed, const struct timespec *limit,
          const sigset_t *mask))
{
    struct stepped *self = one_of_many();
    return self ? step_select(self, count, (fd_set *[]){read, written, failed}, of_timespec(limit),
                              mask, CALLER)
                : REAL(pselect)(count, read, written, failed, limit, mask);
}

/* --- epoll --------------------------------------------------------------------------------------
 */

static int step_epoll(struct stepped *self, int file, struct epoll_event *events, int most,
                      int limit, const sigset_t *mask, uintptr_t pc)
{
    struct pollfd one = {.fd = file, .events = POLLIN};
    int ready = wait_for_any(self, &one, 1, of_milliseconds(limit), pc);
    return ready < 0 ? -1 : REAL(epoll_pwait)(file, events, most, 0, mask);
}

FUNCTION(int, epoll_wait, (int file, struct epoll_event *events, int most, int limit))
{
    struct stepped *self = one_of_many();
    return self ? step_epoll(self, file, events, most, limit, NULL, CALLER)
                : REAL(epoll_wait)(file, events, most, limit);
}

FUNCTION(int, epoll_pwait,
         (int file, struct epoll_event *events, int most, int limit, const sigset_t *mask))
{
    struct stepped *self = one_of_many();
    return self ? step_epoll(self, file, events, most, limit, mask, CALLER)
                : REAL(epoll_pwait)(file, events, most, limit, mask);
}

/* --- children -----------------------------------------------------------------------------------
 */

static bool waits_for_child(pid_t child, int options, uintptr_t pc)
{
    struct stepped *self = one_of_many();
    struct outside what = {.for_child = true,
                           .children = child > 0     ? P_PID
                                       : child == -1 ? P_ALL
                                                     : P_PGID,
                           .child = (id_t)(child >= -1 ? (child < 0 ? 0 : child) : -child),
                           .options = WEXITED | (options & WUNTRACED ? WSTOPPED : 0) |
                                      (options & WCONTINUED ? WCONTINUED : 0)};
    if (!self || options & WNOHANG)
        return true;
    if (outside_wait(self, &what, OUTSIDE_FOR_EVER, pc) != OUTSIDE_INTERRUPTED)
        return true;
    errno = EINTR;
    return false;
}

FUNCTION(pid_t, waitpid, (pid_t child, int *status, int options))
{
    return waits_for_child(child, options, CALLER) ? REAL(waitpid)(child, status, options) : -1;
}

FUNCTION(pid_t, wait, (int *status))
{
    return waits_for_child(-1, 0, CALLER) ? REAL(wait)(status) : -1;
}

FUNCTION(pid_t, wait4, (pid_t child, int *status, int options, struct rusage *usage))
{
    return waits_for_child(child, options, CALLER) ? REAL(wait4)(child, status, options, usage)
                                                   : -1;
}
