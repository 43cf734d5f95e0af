/* SPDX-License-Identifier: MIT */
/* What one thread registers and the C library calls in another, one of its own making: timers,
 * notifications, asynchronous input and output, functions to be called at the end. Registering
 * is before being called. */
#include "runtime/clocks.h"
#include "runtime/edges.h"
#include "runtime/ranges.h"
#include "runtime/real.h"
#include "runtime/signals.h"
#include "runtime/sync.h"
#include "runtime/system.h"

#include <aio.h>
#include <errno.h>
#include <netdb.h>
#include <sys/mman.h>

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

/* --- a function behind ours ----------------------------------------------------------------- */

struct callback {
    union {
        void (*notify)(union sigval);
        void (*at_end)(void *);
    };
    union sigval value;
    uint64_t way;
};

enum { CALLBACKS = 128, TIMERS = 1 << 10 };

/* They stay: nobody tells when the last call has been made. NULL if there is no room. */
static struct callback *new_callback(void)
{
    static struct callback first[CALLBACKS];
    static struct {
        _Atomic(struct callback *) items;
        _Atomic uint32_t used;
    } block = {.items = first};
    for (;;) {
        struct callback *items = atomic_load(&block.items);
        uint32_t index = atomic_fetch_add(&block.used, 1);
        if (index < CALLBACKS && items == atomic_load(&block.items))
            return &items[index];
        struct callback *more = system_map(-1, 0, CALLBACKS * sizeof *more);
        if (!more)
            return NULL;
        if (!atomic_compare_exchange_strong(&block.items, &items, more))
            system_unmap(more, CALLBACKS * sizeof *more);
        else
            atomic_store(&block.used, 0);
    }
}

static uint64_t new_way(void)
{
    static _Atomic uint64_t last;
    return edge_object(EDGE_CALLBACK, (atomic_fetch_add(&last, 1) + 1) << 1);
}

/* Of an object of the program that stands for what goes on: a control block. */
static uint64_t way_of(const void *object)
{
    return edge_object(EDGE_CALLBACK, (uintptr_t)object << 1 | 1);
}

static void notify(union sigval value)
{
    const struct callback *callback = value.sival_ptr;
    edge_acquire(callback->way, (uintptr_t)callback->notify);
    callback->notify(callback->value);
}

/* `event` as the C library is to see it. */
static const struct sigevent *behind_ours(const struct sigevent *event, struct sigevent *ours,
                                          struct callback **made)
{
    *made = NULL;
    if (!event || event->sigev_notify != SIGEV_THREAD || !event->sigev_notify_function ||
        !recorder_current)
        return event;
    struct callback *callback = new_callback();
    if (!callback)
        return event;
    *callback = (struct callback){
        .notify = event->sigev_notify_function, .value = event->sigev_value, .way = new_way()};
    *ours = *event;
    ours->sigev_notify_function = notify;
    ours->sigev_value.sival_ptr = callback;
    *made = callback;
    return ours;
}

/* --- timers ------------------------------------------------------------------------------------
 */

/* What happens when a timer's time has come; newer ones take the places of older ones. */
static struct timer {
    _Atomic uintptr_t id;
    _Atomic int signal;
    _Atomic clockid_t clock;
    _Atomic uint64_t way;
} timers[TIMERS];

static struct timer *timer_at(timer_t id)
{
    return &timers[edge_mix((uintptr_t)id, 9) % TIMERS];
}

FUNCTION(int, timer_create, (clockid_t clock, struct sigevent *event, timer_t *id))
{
    struct sigevent ours;
    struct callback *callback;
    const struct sigevent *seen = behind_ours(event, &ours, &callback);
    int result = REAL(timer_create)(clock, (struct sigevent *)seen, id);
    if (result == 0 && recorder_current) {
        struct timer *timer = timer_at(*id);
        bool signals = !event || event->sigev_notify == SIGEV_SIGNAL;
        atomic_store(&timer->signal, !signals ? 0 : event ? event->sigev_signo : SIGALRM);
        atomic_store(&timer->way, callback ? callback->way : 0);
        atomic_store(&timer->clock, clock);
        atomic_store(&timer->id, (uintptr_t)*id);
    }
    return result;
}

FUNCTION(int, timer_settime,
         (timer_t id, int flags, const struct itimerspec *time, struct itimerspec *before))
{
    struct timer *timer = timer_at(id);
    if (recorder_current && atomic_load(&timer->id) == (uintptr_t)id) {
        edge_release(atomic_load(&timer->way), CALLER);
        signal_sent(atomic_load(&timer->signal), CALLER);
    }
    if (!(flags & TIMER_ABSTIME))
        return REAL(timer_settime)(id, flags, time, before);
    clockid_t clock = atomic_load(&timer->id) == (uintptr_t)id ? atomic_load(&timer->clock) : -1;
    return REAL(timer_settime)(id, flags, CLOCKS_TIMER(clock, time), before);
}

/* --- notifications -------------------------------------------------------------------------------
 */

static void event_begins(const struct sigevent *event, const struct callback *callback,
                         uintptr_t pc)
{
    if (callback)
        edge_release(callback->way, pc);
    else if (event && event->sigev_notify == SIGEV_SIGNAL)
        signal_sent(event->sigev_signo, pc);
}

FUNCTION(int, mq_notify, (int queue, const struct sigevent *event))
{
    struct sigevent ours;
    struct callback *callback;
    const struct sigevent *seen = behind_ours(event, &ours, &callback);
    event_begins(event, callback, CALLER);
    return REAL(mq_notify)(queue, seen);
}

FUNCTION(int, getaddrinfo_a, (int mode, struct gaicb *list[], int count, struct sigevent *event))
{
    struct sigevent ours;
    struct callback *callback;
    const struct sigevent *seen = behind_ours(event, &ours, &callback);
    for (int i = 0; recorder_current && i < count; i++)
        if (list[i])
            edge_release(way_of(list[i]), CALLER);
    event_begins(event, callback, CALLER);
    return REAL(getaddrinfo_a)(mode, list, count, (struct sigevent *)seen);
}

FUNCTION(int, gai_error, (struct gaicb * request))
{
    int result = REAL(gai_error)(request);
    if (result != EAI_INPROGRESS && recorder_current)
        edge_acquire(way_of(request), CALLER);
    return result;
}

/* --- asynchronous input and output ---------------------------------------------------------------
 */

/* Its event lies in the program's own control block, which we leave alone. The thread that the
 * library makes for it comes after all that was begun (recorder_attach). */
static void aio_begins(const struct aiocb *block, bool writes, uintptr_t pc)
{
    if (!recorder_current)
        return;
    edge_release(way_of(block), pc);
    if (writes)
        range_given((const void *)block->aio_buf, block->aio_nbytes, pc);
    if (block->aio_sigevent.sigev_notify == SIGEV_THREAD)
        recorder_before_attached(pc);
    else
        event_begins(&block->aio_sigevent, NULL, pc);
}

static void aio_ended(const struct aiocb *block, uintptr_t pc)
{
    if (recorder_current)
        edge_acquire(way_of(block), pc);
}

#define BEGIN(name, writes, block_type)                                                            \
    FUNCTION(int, name, (block_type * block))                                                      \
    {                                                                                              \
        aio_begins((const struct aiocb *)block, writes, CALLER);                                   \
        return REAL(name)(block);                                                                  \
    }
BEGIN(aio_read, false, struct aiocb)
BEGIN(aio_read64, false, struct aiocb64)
BEGIN(aio_write, true, struct aiocb)
BEGIN(aio_write64, true, struct aiocb64)

#define ERROR(name, block_type)                                                                    \
    FUNCTION(int, name, (const block_type *block))                                                 \
    {                                                                                              \
        int result = REAL(name)(block);                                                            \
        if (result != EINPROGRESS)                                                                 \
            aio_ended((const struct aiocb *)block, CALLER);                                        \
        return result;                                                                             \
    }
ERROR(aio_error, struct aiocb)
ERROR(aio_error64, struct aiocb64)

#define RETURN(name, block_type)                                                                   \
    FUNCTION(ssize_t, name, (block_type * block))                                                  \
    {                                                                                              \
        ssize_t result = REAL(name)(block);                                                        \
        if (result >= 0)                                                                           \
            aio_ended((const struct aiocb *)block, CALLER);                                        \
        return result;                                                                             \
    }
RETURN(aio_return, struct aiocb)
RETURN(aio_return64, struct aiocb64)

static void any_ended(const struct aiocb *const list[], int count, uintptr_t pc)
{
    for (int i = 0; recorder_current && i < count; i++)
        if (list[i] && REAL(aio_error)(list[i]) != EINPROGRESS)
            aio_ended(list[i], pc);
}

#define SUSPEND(name, block_type)                                                                  \
    FUNCTION(int, name,                                                                            \
             (const block_type *const list[], int count, const struct timespec *timeout))          \
    {                                                                                              \
        int result = REAL(name)(list, count, timeout);                                             \
        if (result == 0)                                                                           \
            any_ended((const struct aiocb *const *)list, count, CALLER);                           \
        return result;                                                                             \
    }
SUSPEND(aio_suspend, struct aiocb)
SUSPEND(aio_suspend64, struct aiocb64)

#define LIST(name, block_type)                                                                     \
    FUNCTION(int, name, (int mode, block_type *const list[], int count, struct sigevent *event))   \
    {                                                                                              \
        struct sigevent ours;                                                                      \
        struct callback *callback;                                                                 \
        const struct sigevent *seen = behind_ours(event, &ours, &callback);                        \
        bool good =                                                                                \
            recorder_current && count > 0 && system_readable(list, (size_t)count * sizeof *list);  \
        for (int i = 0; good && i < count; i++)                                                    \
            if (list[i])                                                                           \
                aio_begins((const struct aiocb *)list[i],                                          \
                           ((const struct aiocb *)list[i])->aio_lio_opcode == LIO_WRITE, CALLER);  \
        event_begins(event, callback, CALLER);                                                     \
        return REAL(name)(mode, list, count, (struct sigevent *)seen);                             \
    }
LIST(lio_listio, struct aiocb)
LIST(lio_listio64, struct aiocb64)

/* --- at the end
 * ------------------------------------------------------------------------------------ */

static void at_end(void *argument)
{
    const struct callback *callback = argument;
    if (recorder_current)
        edge_acquire(callback->way, (uintptr_t)callback->at_end);
    callback->at_end(callback->value.sival_ptr);
}

/* atexit() is this one, too. */
FUNCTION(int, __cxa_atexit, (void (*function)(void *), void *argument, void *library))
{
    struct callback *callback = recorder_current ? new_callback() : NULL;
    if (!callback)
        return REAL(__cxa_atexit)(function, argument, library);
    *callback =
        (struct callback){.at_end = function, .value.sival_ptr = argument, .way = new_way()};
    edge_release(callback->way, CALLER);
    return REAL(__cxa_atexit)(at_end, callback, library);
}

#ifndef PREPLAY_HOSTED

/* A program that was linked with ThreadSanitizer's library looks for atexit() there. All others
 * have one of their own, from the C library's static part, which knows what to do when a library
 * is unloaded: so it is to be found when a program is started, not when it is linked (exports.map).
 */
static void call_plain(void *function)
{
    ((void (*)(void))function)();
}

EXPORT int register_plain(void (*function)(void));
EXPORT int register_plain(void (*function)(void))
{
    return __cxa_atexit(call_plain, (void *)function, NULL);
}
__asm__(".symver register_plain, atexit@PREPLAY_STARTED");

#endif
