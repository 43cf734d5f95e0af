/* SPDX-License-Identifier: MIT */
#include "runtime/clocks.h"
#include "runtime/thread.h"

#include "runtime/identity.h"
#include "runtime/linger.h"
#include "runtime/real.h"
#include "runtime/stack_maps.h"
#include "runtime/thread_end.h"
#include "runtime/wish.h"

#include <errno.h>
#include <limits.h>

/* --- robust mutexes ---------------------------------------------------------------------- */

/* Mutexes that were released so, by address; one that is pushed out by another is forgotten. */
enum { DEAD_OWNERS = 256 };
static _Atomic uintptr_t dead_owners[DEAD_OWNERS];

static _Atomic uintptr_t *dead_owner(uintptr_t mutex)
{
    return &dead_owners[(mutex >> 3) % DEAD_OWNERS];
}

bool thread_ended_with(const void *mutex)
{
    uintptr_t expected = (uintptr_t)mutex;
    return atomic_compare_exchange_strong(dead_owner(expected), &expected, 0);
}

/* The kernel gives free the robust mutexes that a thread holds when it ends; it has a list of
 * them. The lowest bit of a link is none of the address. */
static void release_robust(struct recorder *self)
{
    enum { MOST = 4096 }; /* the program may have damaged it */
    struct robust {
        struct robust *next;
        long offset; /* of the mutex from its link */
    } *head = NULL;
    size_t size;
    if (system_ask(SYS_get_robust_list, 0, (long)&head, (long)&size, 0, 0, 0) < 0 || !head)
        return;
    uintptr_t link = (uintptr_t)head->next & ~(uintptr_t)1;
    for (unsigned i = 0; i < MOST && link && link != (uintptr_t)head; i++) {
        struct sync release = {
            .recorder = self,
            .record = {.op = EVENT_RELEASE, .object = link + (uintptr_t)head->offset}};
        sync_before(&release);
        atomic_store(dead_owner(release.record.object), release.record.object);
        link = (uintptr_t)((struct robust *)link)->next & ~(uintptr_t)1;
    }
}

static void end_stream(void)
{
    struct recorder *self = recorder_current;
    if (!self)
        return;
    self->ignore_sync = 0; /* its end counts */
    release_robust(self);
    recorder_end(self);
}

void thread_prepare(void)
{
    thread_end_prepare(end_stream);
    pthread_atfork(NULL, NULL, process_forked);
}

/* A program may have all the keys that it is promised. */
EXPORT int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
    int result = REAL(pthread_key_create)(key, destructor);
    return result == EAGAIN && thread_end_give_key() ? REAL(pthread_key_create)(key, destructor)
                                                     : result;
}

EXPORT int tss_create(tss_t *key, tss_dtor_t destructor)
{
    return pthread_key_create(key, destructor) ? thrd_error : thrd_success;
}

uint32_t thread_kernel_id(void)
{
    pthread_mutex_t probe = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
    REAL(pthread_mutex_lock)(&probe);
    int id = probe.__data.__owner;
    REAL(pthread_mutex_unlock)(&probe);
    return (uint32_t)id;
}

/* --- stacks ---------------------------------------------------------------- */

struct stack {
    uintptr_t low, high; /* high 0: at the thread itself */
    size_t size;
};

/* pthread_getattr_np() would tell, but it allocates (with the program's allocator, which a signal
 * may just have interrupted) and makes system calls (which the program may have forbidden). */
static struct stack stack_wanted(const pthread_attr_t *attributes)
{
    pthread_attr_t usual;
    void *low = NULL;
    struct stack stack = {0};
    if (!attributes) {
        pthread_attr_init(&usual);
        pthread_attr_getstacksize(&usual, &stack.size);
        pthread_attr_destroy(&usual);
    } else if (pthread_attr_getstack(attributes, &low, &stack.size) == 0) {
        stack.low = (uintptr_t)low;
        stack.high = stack.low + stack.size; /* 0 if none was given */
        pthread_attr_getstacksize(attributes, &stack.size);
    }
    return stack;
}

/* The C library keeps what it knows about a thread at the upper end of its stack. */
static void stack_found(struct stack *stack)
{
    enum { PAGE = 4096, THREAD = 2304 };
    if (stack->high || !stack->size)
        return;
    stack->high = ((uintptr_t)pthread_self() + THREAD + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
    stack->low = stack->high - stack->size;
}

static __thread const struct stack *own_stack __attribute__((tls_model("initial-exec")));

void thread_find_stack(uint64_t *low, uint64_t *high)
{
    *low = *high = 0;
    if (!own_stack) { /* not created through us */
        stack_from_maps((uintptr_t)__builtin_frame_address(0), low, high);
        return;
    }
    *low = own_stack->low;
    *high = own_stack->high;
}

/* --- creation ---------------------------------------------------------------- */

struct birth {
    void *(*run)(void *);
    void *argument;
    struct stack stack;
    uint64_t stamp, path;
    uint32_t number, parent, child;
    bool blocked;     /* signals, until the thread has begun */
    uint64_t signals; /* that it blocks itself from then on */
};

enum { SIGNAL_SET = 8 }; /* bytes, as the kernel has it */

/* A handler in a thread that does not know yet who it is would be taken for a thread of its own.
 * The two signals of the C library's stay: it waits for their being handled. */
static bool block_signals(const pthread_attr_t *attributes, uint64_t *before)
{
    static const uint64_t all = ~(UINT64_C(3) << 31);
    sigset_t own;
    /* One that is given a mask has that from the beginning. */
    return (!attributes ||
            pthread_attr_getsigmask_np(attributes, &own) == PTHREAD_ATTR_NO_SIGMASK_NP) &&
           system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&all, (long)before, SIGNAL_SET, 0,
                       0) == 0;
}

static void unblock_signals(uint64_t before)
{
    system_call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&before, 0, SIGNAL_SET, 0, 0);
}

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

bool (*thread_is_of_library)(uintptr_t run);
bool (*thread_is_hidden)(uintptr_t run);

static void *run_to_its_end(const struct birth *birth)
{
    void *volatile value = NULL;
    pthread_cleanup_push(thread_end_unwatched, NULL);
    value = birth->run(birth->argument);
    pthread_cleanup_pop(1);
    return value;
}

static void *preplay_run_thread(void *argument)
{
    struct birth birth = *(struct birth *)argument;
    __libc_free(argument);
    stack_found(&birth.stack);
    own_stack = &birth.stack;
    identity_say(birth.number);
    linger_begun();
    struct recorder *self =
        recorder_begin(birth.number, birth.parent, birth.child, 0, birth.stamp, birth.path);
    if (self && thread_is_of_library && thread_is_of_library((uintptr_t)birth.run))
        self->ignore_sync = 1;
    if (self && thread_is_hidden && thread_is_hidden((uintptr_t)birth.run))
        self->ignore_reads = self->ignore_writes = self->ignore_sync = 1;
    if (self && recorder_library_thread)
        recorder_library_thread(self, (uintptr_t)birth.run);
    if (birth.blocked)
        unblock_signals(birth.signals);
    return run_to_its_end(&birth);
}

static bool is_detached(const pthread_attr_t *attributes)
{
    int state = PTHREAD_CREATE_JOINABLE;
    if (attributes)
        pthread_attr_getdetachstate(attributes, &state);
    return state == PTHREAD_CREATE_DETACHED;
}

EXPORT int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *),
                          void *argument)
{
    struct sync sync = SYNC(EVENT_FORK, 0);
    struct recorder *self = sync.recorder;
    struct birth *birth = self ? __libc_malloc(sizeof *birth) : NULL;
    if (!birth)
        return REAL(pthread_create)(thread, attributes, run, argument);
    *birth = (struct birth){
        .run = run,
        .argument = argument,
        .stack = stack_wanted(attributes),
        .number = atomic_fetch_add(&process.streams, 1),
        .parent = self->number,
        .child = atomic_fetch_add(&self->children, 1) + 1,
    };
    birth->path = enforce_child_path(self->path, birth->child);
    uint32_t number = birth->number;
    sync.record.object = number;
    sync_before(&sync);
    birth->stamp = self->stamper.clock;
    uint64_t signals = 0;
    bool blocked = birth->blocked = block_signals(attributes, &signals);
    birth->signals = signals;
    int result = REAL(pthread_create)(thread, attributes, preplay_run_thread, birth);
    if (blocked)
        unblock_signals(signals);
    if (result)
        __libc_free(birth);
    else
        linger_created();
    sync_after(&sync);
    if (result)
        sync_remark(EVENT_BAD_CALL, BAD_CALL_FAILED, sync.record.pc);
    if (result == 0 && is_detached(attributes))
        sync_remark(EVENT_DETACH, number, sync.record.pc);
    return result;
}

EXPORT int pthread_detach(pthread_t thread)
{
    uint32_t number;
    bool known = recorder_self() && identity_of(thread, &number);
    int result = REAL(pthread_detach)(thread);
    if (known && result == 0)
        sync_remark(EVENT_DETACH, number, CALLER);
    return result;
}

static struct sync join_before(pthread_t thread, uintptr_t pc)
{
    struct sync sync = SYNC_AT(EVENT_JOIN, 0, pc);
    uint32_t number;
    if (sync.recorder && identity_of(thread, &number))
        sync.record.object = number;
    else
        sync.recorder = NULL;
    sync_before(&sync);
    return sync;
}

/* Of itself, or of a thread that nobody may join: it is detached, or joined already. */
static void join_after(struct sync *sync, int result)
{
    if (result == EDEADLK || result == EINVAL || result == ESRCH)
        sync->record.op = EVENT_BAD_JOIN;
    if (result == 0 || sync->record.op == EVENT_BAD_JOIN)
        sync_after(sync);
}

/* A try or timed form that a schedule has succeed waits for the thread's end. */
#define JOIN(name, open, parameters)                                                               \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct sync sync = join_before(thread, CALLER);                                            \
        int result = sync.outcome == OUTCOME_SUCCEED ? REAL(pthread_join)(thread, value) : open;   \
        join_after(&sync, result);                                                                 \
        return result;                                                                             \
    }

JOIN(pthread_join, wish_around(&sync, EVENT_JOIN, REAL(pthread_join)(thread, value)),
     (pthread_t thread, void **value))
JOIN(pthread_tryjoin_np, sync_block(&sync, REAL(pthread_tryjoin_np)(thread, value)),
     (pthread_t thread, void **value))
JOIN(pthread_timedjoin_np,
     sync_block(&sync,
                REAL(pthread_timedjoin_np)(thread, value, CLOCKS_UNTIL(CLOCK_REALTIME, until))),
     (pthread_t thread, void **value, const struct timespec *until))
JOIN(pthread_clockjoin_np,
     sync_block(&sync,
                REAL(pthread_clockjoin_np)(thread, value, clock, CLOCKS_UNTIL(clock, until))),
     (pthread_t thread, void **value, clockid_t clock, const struct timespec *until))
