/* SPDX-License-Identifier: MIT */
/* Message queues and semaphore sets, POSIX's and System V's: what was sent is before who gets it,
 * what was raised before who takes. */
#include "runtime/clocks.h"
#include "runtime/descriptors.h"
#include "runtime/edges.h"
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>
#include <sys/msg.h>
#include <sys/sem.h>

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

static bool is_recorded(void)
{
    const struct recorder *self = recorder_self();
    return self && !self->ignore_sync;
}

/* --- POSIX: a queue is a descriptor ------------------------------------------------------ */

static uint64_t queue_way(int queue)
{
    uint64_t inode = is_recorded() ? descriptor_inode(queue) : 0;
    return inode ? edge_object(EDGE_QUEUE, inode << 1) : 0;
}

static void received(int queue, char *message, ssize_t size, uintptr_t pc)
{
    int saved = errno;
    if (size >= 0) {
        edge_acquire(queue_way(queue), pc);
        range_write(message, (size_t)size, pc);
    }
    errno = saved;
}

#define SEND(name, parameters, arguments)                                                          \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        range_given(message, size, CALLER);                                                        \
        edge_release(queue_way(queue), CALLER);                                                    \
        return REAL(name) arguments;                                                               \
    }
SEND(mq_send, (int queue, const char *message, size_t size, unsigned priority),
     (queue, message, size, priority))
SEND(mq_timedsend,
     (int queue, const char *message, size_t size, unsigned priority, const struct timespec *until),
     (queue, message, size, priority, CLOCKS_UNTIL(CLOCK_REALTIME, until)))

#define RECEIVE(name, parameters, arguments)                                                       \
    FUNCTION(ssize_t, name, parameters)                                                            \
    {                                                                                              \
        ssize_t got = REAL(name) arguments;                                                        \
        received(queue, message, got, CALLER);                                                     \
        return got;                                                                                \
    }
RECEIVE(mq_receive, (int queue, char *message, size_t room, unsigned *priority),
        (queue, message, room, priority))
RECEIVE(mq_timedreceive,
        (int queue, char *message, size_t room, unsigned *priority, const struct timespec *until),
        (queue, message, room, priority, CLOCKS_UNTIL(CLOCK_REALTIME, until)))

/* --- System V: a queue is a number -------------------------------------------------------- */

static uint64_t identified_way(int identifier)
{
    return edge_object(EDGE_QUEUE, (uint64_t)(unsigned)identifier << 1 | 1);
}

FUNCTION(int, msgsnd, (int queue, const void *message, size_t size, int flags))
{
    range_given(message, sizeof(long) + size, CALLER);
    edge_release(identified_way(queue), CALLER);
    return REAL(msgsnd)(queue, message, size, flags);
}

FUNCTION(ssize_t, msgrcv, (int queue, void *message, size_t room, long type, int flags))
{
    ssize_t got = REAL(msgrcv)(queue, message, room, type, flags);
    if (got >= 0) {
        edge_acquire(identified_way(queue), CALLER);
        range_write(message, sizeof(long) + (size_t)got, CALLER);
    }
    return got;
}

/* Who raises a semaphore lets go on who takes; who takes, those who wait for zero (its END). */
static uint64_t semaphore_way(int set, unsigned number)
{
    return edge_object(EDGE_SEMAPHORE, edge_mix((uint64_t)(unsigned)set, number));
}

/* More steps than the kernel takes, or none that can be read: the call will fail. */
static void before_operation(int set, const struct sembuf *steps, size_t count, uintptr_t pc)
{
    enum { STEPS_MOST = 1 << 16 };
    if (count > STEPS_MOST || !system_readable(steps, count * sizeof *steps))
        return;
    for (size_t i = 0; i < count; i++)
        if (steps[i].sem_op)
            edge_release(
                semaphore_way(set, steps[i].sem_num) | (steps[i].sem_op < 0 ? EDGE_END : 0), pc);
}

static void after_operation(int set, const struct sembuf *steps, size_t count, uintptr_t pc)
{
    for (size_t i = 0; i < count; i++)
        if (steps[i].sem_op <= 0)
            edge_acquire(semaphore_way(set, steps[i].sem_num) | (steps[i].sem_op ? 0 : EDGE_END),
                         pc);
}

#define OPERATE(name, parameters, arguments)                                                       \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        if (is_recorded())                                                                         \
            before_operation(set, steps, count, CALLER);                                           \
        int result = REAL(name) arguments;                                                         \
        if (result == 0)                                                                           \
            after_operation(set, steps, count, CALLER);                                            \
        return result;                                                                             \
    }
OPERATE(semop, (int set, struct sembuf *steps, size_t count), (set, steps, count))
OPERATE(semtimedop, (int set, struct sembuf *steps, size_t count, const struct timespec *timeout),
        (set, steps, count, timeout))

/* To set a semaphore raises or lowers it. */
FUNCTION(int, semctl, (int set, int number, int command, ...))
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    if (command == SETVAL) {
        edge_release(semaphore_way(set, (unsigned)number), CALLER);
        edge_release(semaphore_way(set, (unsigned)number) | EDGE_END, CALLER);
    }
    return REAL(semctl)(set, number, command, argument);
}
