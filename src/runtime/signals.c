/* SPDX-License-Identifier: MIT */
#include "runtime/signals.h"

#include "runtime/edges.h"
#include "runtime/real.h"
#include "runtime/sync.h"

#include <errno.h>
#include <sys/time.h>

enum { SIGNALS = 65 };

typedef void signal_handler(int number, siginfo_t *information, void *context);

/* The program's own, where ours is installed. A handler is never taken out of here: one that
 * begins just as it is replaced still finds something to call. */
static _Atomic(signal_handler *) handlers[SIGNALS];

/* Whether anybody in this process has ever sent it: most handlers are for what comes from
 * elsewhere, or from an instruction of the thread itself. */
static _Atomic bool sent[SIGNALS];

static bool is_signal(int number)
{
    return number > 0 && number < SIGNALS;
}

static uint64_t process_way(int number)
{
    return edge_object(EDGE_SIGNAL, (uint64_t)number);
}

static uint64_t thread_way(int number, pthread_t thread)
{
    return edge_object(EDGE_SIGNAL, edge_mix((uint64_t)thread, (uint64_t)number) << 7 | SIGNALS);
}

void signal_sent(int number, uintptr_t pc)
{
    if (!is_signal(number))
        return;
    atomic_store(&sent[number], true);
    edge_release(process_way(number), pc);
}

static void signal_sent_to(pthread_t thread, int number, uintptr_t pc)
{
    if (!is_signal(number))
        return;
    atomic_store(&sent[number], true);
    edge_release(thread_way(number, thread), pc);
}

void signal_received(int number, uintptr_t pc)
{
    if (!is_signal(number) || !atomic_load(&sent[number]) || !recorder_current)
        return;
    edge_acquire(process_way(number), pc);
    edge_acquire(thread_way(number, pthread_self()), pc);
}

/* --- handlers ------------------------------------------------------------------------ */

/* One that comes at no certain time, in the midst of anything. What the thread's own instruction
 * or call has sent comes when the program expects it. */
static bool comes_any_time(const struct recorder *self, int number)
{
    static const uint64_t own = UINT64_C(1) << SIGSEGV | UINT64_C(1) << SIGBUS |
                                UINT64_C(1) << SIGILL | UINT64_C(1) << SIGFPE |
                                UINT64_C(1) << SIGTRAP | UINT64_C(1) << SIGABRT |
                                UINT64_C(1) << SIGSYS;
    return self && !self->raising && !self->handler && !(number < 64 && own >> number & 1);
}

/* Handlers on a stack of their own are left by jumps that nobody recognises (signals_leave()). The
 * kernel tells of that stack whatever the handler's flags are, so that no call is needed, which
 * a program may have given up. */
static bool on_own_stack(const ucontext_t *context, uintptr_t frame)
{
    const stack_t *stack = &context->uc_stack;
    return frame - (uintptr_t)stack->ss_sp < stack->ss_size;
}

static void handler_ends(struct recorder **of)
{
    struct recorder *self = *of;
    if (!self || !self->handler)
        return;
    self->handler = 0;
    sync_remark(RECORD_OP_HANDLER_END, 0, 0);
}

void signals_leave(struct recorder *self, uintptr_t pointer)
{
    self->raising = false;
    if (unlikely(self->handler) && self->handler < pointer)
        handler_ends(&self);
}

static void handle(int number, siginfo_t *information, void *context)
{
    signal_handler *own = atomic_load(&handlers[number]);
    uintptr_t at = (uintptr_t)__builtin_frame_address(0);
    __attribute__((cleanup(handler_ends))) struct recorder *self = NULL;
    signal_received(number, (uintptr_t)own);
    if (comes_any_time(recorder_current, number) && !on_own_stack(context, at)) {
        self = recorder_current;
        self->handler = at;
        sync_remark(RECORD_OP_HANDLER_BEGIN, 0, (uintptr_t)own);
    }
    int before = errno;
    own(number, information, context);
    if (self && errno != before)
        sync_remark(EVENT_BAD_CALL, BAD_ERRNO_SPOILT, (uintptr_t)own + 1);
}

static bool is_function(const void *handler)
{
    return handler != (const void *)SIG_DFL && handler != (const void *)SIG_IGN &&
           handler != (const void *)SIG_ERR;
}

/* What to install for `handler`, and whose place ours holds. */
static void *behind_ours(int number, void *handler)
{
    if (!is_function(handler) || handler == (void *)handle || !process_recording())
        return handler;
    atomic_store(&handlers[number], (signal_handler *)handler);
    return (void *)handle;
}

static void *own_again(signal_handler *before, void *found)
{
    return found == (void *)handle ? (void *)before : found;
}

#define FUNCTION(result, name, parameters)                                                         \
    EXPORT result name parameters;                                                                 \
    EXPORT result name parameters

FUNCTION(int, sigaction, (int number, const struct sigaction *wish, struct sigaction *before))
{
    if (!is_signal(number))
        return REAL(sigaction)(number, wish, before);
    signal_handler *own = atomic_load(&handlers[number]);
    struct sigaction ours;
    if (wish) {
        ours = *wish;
        ours.sa_sigaction = (signal_handler *)behind_ours(number, (void *)wish->sa_sigaction);
    }
    int result = REAL(sigaction)(number, wish ? &ours : NULL, before);
    if (result == 0 && before)
        before->sa_sigaction = (signal_handler *)own_again(own, (void *)before->sa_sigaction);
    if (result != 0 && wish)
        atomic_store(&handlers[number], own);
    return result;
}

/* All the older ways to install one. */
#define INSTALL(name)                                                                              \
    FUNCTION(sighandler_t, name, (int number, sighandler_t handler))                               \
    {                                                                                              \
        if (!is_signal(number))                                                                    \
            return REAL(name)(number, handler);                                                    \
        signal_handler *own = atomic_load(&handlers[number]);                                      \
        void *found =                                                                              \
            (void *)REAL(name)(number, (sighandler_t)behind_ours(number, (void *)handler));        \
        return (sighandler_t)own_again(own, found);                                                \
    }
INSTALL(signal)
INSTALL(sysv_signal)
INSTALL(bsd_signal)
INSTALL(ssignal)
INSTALL(sigset)

/* --- sending ------------------------------------------------------------------------- */

FUNCTION(int, kill, (pid_t to, int number))
{
    if (to == (pid_t)process.id || to <= 0)
        signal_sent(number, CALLER);
    return REAL(kill)(to, number);
}

FUNCTION(int, sigqueue, (pid_t to, int number, const union sigval value))
{
    if (to == (pid_t)process.id)
        signal_sent(number, CALLER);
    return REAL(sigqueue)(to, number, value);
}

FUNCTION(int, pthread_kill, (pthread_t thread, int number))
{
    struct recorder *self = recorder_current;
    bool raises = self && pthread_equal(thread, pthread_self());
    signal_sent_to(thread, number, CALLER);
    if (raises)
        self->raising = true;
    int result = REAL(pthread_kill)(thread, number);
    if (raises)
        self->raising = false;
    return result;
}

FUNCTION(int, raise, (int number))
{
    struct recorder *self = recorder_current;
    if (self)
        self->raising = true;
    int result = REAL(raise)(number);
    if (self)
        self->raising = false;
    return result;
}

FUNCTION(int, pthread_sigqueue, (pthread_t thread, int number, const union sigval value))
{
    signal_sent_to(thread, number, CALLER);
    return REAL(pthread_sigqueue)(thread, number, value);
}

FUNCTION(int, tgkill, (pid_t group, pid_t thread, int number))
{
    if (group == (pid_t)process.id) /* which of our threads that is, is not looked for */
        signal_sent(number, CALLER);
    return REAL(tgkill)(group, thread, number);
}

FUNCTION(unsigned, alarm, (unsigned seconds))
{
    signal_sent(SIGALRM, CALLER);
    return REAL(alarm)(seconds);
}

FUNCTION(int, setitimer,
         (__itimer_which_t which, const struct itimerval *time, struct itimerval *before))
{
    static const int numbers[] = {SIGALRM, SIGVTALRM, SIGPROF};
    if ((unsigned)which < 3)
        signal_sent(numbers[which], CALLER);
    return REAL(setitimer)(which, time, before);
}

/* --- waiting ------------------------------------------------------------------------- */

FUNCTION(int, sigwait, (const sigset_t *signals, int *number))
{
    int result = REAL(sigwait)(signals, number);
    if (result == 0)
        signal_received(*number, CALLER);
    return result;
}

#define WAIT(name, parameters, arguments)                                                          \
    FUNCTION(int, name, parameters)                                                                \
    {                                                                                              \
        int number = REAL(name) arguments;                                                         \
        signal_received(number, CALLER);                                                           \
        return number;                                                                             \
    }
WAIT(sigwaitinfo, (const sigset_t *signals, siginfo_t *information), (signals, information))
WAIT(sigtimedwait,
     (const sigset_t *signals, siginfo_t *information, const struct timespec *timeout),
     (signals, information, timeout))
