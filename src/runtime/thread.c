#include "runtime/thread.h"

#include "runtime/linger.h"
#include "runtime/real.h"
#include "runtime/wish.h"

#include <errno.h>
#include <limits.h>

static pthread_key_t end_key;
static bool end_key_made;

extern void *__libc_malloc(size_t);
extern void __libc_free(void *);

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

/* Runs among the thread's own destructors; it asks to be run again until the
 * last round, so that the others come first. */
static void at_end(void *round)
{
    uintptr_t rounds = (uintptr_t)round;
    if (rounds < PTHREAD_DESTRUCTOR_ITERATIONS) {
        pthread_setspecific(end_key, (void *)(rounds + 1));
        return;
    }
    struct recorder *self = recorder_current;
    if (!self)
        return;
    self->ignore_sync = 0; /* its end counts */
    release_robust(self);
    recorder_end(self);
}

void thread_prepare(void)
{
    end_key_made = pthread_key_create(&end_key, at_end) == 0;
    pthread_atfork(NULL, NULL, process_forked);
}

void thread_watch_end(void)
{
    if (end_key_made)
        pthread_setspecific(end_key, (void *)(uintptr_t)1);
}

/* The number of the thread's stream, plus one. pthread_join() reads it in the
 * other thread: its thread-local memory stays until it is joined, at the same
 * distance from its handle as ours is from our own. */
static __thread _Atomic uint32_t own_number __attribute__((tls_model("initial-exec")));

void thread_is(uint32_t number)
{
    atomic_store(&own_number, number + 1);
}

enum { JOIN_YIELDS = 1000, JOIN_NAPS = 2000 };

static bool number_of(pthread_t thread, uint32_t *number)
{
    uintptr_t distance = (uintptr_t)&own_number - (uintptr_t)pthread_self();
    _Atomic uint32_t *theirs = (_Atomic uint32_t *)((uintptr_t)thread + distance);
    /* No thread at all: the C library has an answer to some of these. */
    if (!thread || !system_readable(theirs, sizeof *theirs))
        return false;
    /* A thread that was created but did not run yet is about to say who it is; on a
     * busy machine that may take a while. */
    for (unsigned tries = 0; tries < JOIN_YIELDS + JOIN_NAPS; tries++) {
        uint32_t found = atomic_load(theirs);
        if (found) {
            *number = found - 1;
            return true;
        }
        if (tries < JOIN_YIELDS)
            system_yield();
        else
            system_nap();
    }
    return false;
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

/* pthread_getattr_np() would tell, but it allocates (with the program's allocator) and makes
 * system calls (which the program may have forbidden). */
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

static void stack_ask(struct stack *stack)
{
    pthread_attr_t attributes;
    void *low;
    if (pthread_getattr_np(pthread_self(), &attributes))
        return;
    if (!pthread_attr_getstack(&attributes, &low, &stack->size)) {
        stack->low = (uintptr_t)low;
        stack->high = stack->low + stack->size;
    }
    pthread_attr_destroy(&attributes);
}

static __thread const struct stack *own_stack __attribute__((tls_model("initial-exec")));

void thread_find_stack(uint64_t *low, uint64_t *high)
{
    struct stack stack = {0};
    if (own_stack)
        stack = *own_stack;
    else if (!system_sealed) /* not created through us */
        stack_ask(&stack);
    *low = stack.low;
    *high = stack.high;
}

/* --- creation ---------------------------------------------------------------- */

struct birth {
    void *(*run)(void *);
    void *argument;
    struct stack stack;
    uint64_t stamp, path;
    uint32_t number, parent, child;
};

bool (*thread_is_of_library)(uintptr_t run);

static void *preplay_run_thread(void *argument)
{
    struct birth birth = *(struct birth *)argument;
    __libc_free(argument);
    stack_found(&birth.stack);
    own_stack = &birth.stack;
    atomic_store(&own_number, birth.number + 1);
    linger_begun();
    struct recorder *self =
        recorder_begin(birth.number, birth.parent, birth.child, 0, birth.stamp, birth.path);
    if (self && thread_is_of_library && thread_is_of_library((uintptr_t)birth.run))
        self->ignore_sync = 1;
    return birth.run(birth.argument);
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
    sync.record.object = birth->number;
    sync_before(&sync);
    birth->stamp = self->stamper.clock;
    int result = REAL(pthread_create)(thread, attributes, preplay_run_thread, birth);
    if (result)
        __libc_free(birth);
    else
        linger_created();
    sync_after(&sync);
    return result;
}

static struct sync join_before(pthread_t thread, uintptr_t pc)
{
    struct sync sync = SYNC_AT(EVENT_JOIN, 0, pc);
    uint32_t number;
    if (sync.recorder && number_of(thread, &number))
        sync.record.object = number;
    else
        sync.recorder = NULL;
    sync_before(&sync);
    return sync;
}

/* A try or timed form that a schedule has succeed waits for the thread's end. */
#define JOIN(name, open, parameters)                                                               \
    EXPORT int name parameters                                                                     \
    {                                                                                              \
        struct sync sync = join_before(thread, CALLER);                                            \
        int result = sync.outcome == OUTCOME_SUCCEED ? REAL(pthread_join)(thread, value) : open;   \
        if (result == 0)                                                                           \
            sync_after(&sync);                                                                     \
        return result;                                                                             \
    }

JOIN(pthread_join, wish_around(&sync, EVENT_JOIN, REAL(pthread_join)(thread, value)),
     (pthread_t thread, void **value))
JOIN(pthread_tryjoin_np, sync_block(&sync, REAL(pthread_tryjoin_np)(thread, value)),
     (pthread_t thread, void **value))
JOIN(pthread_timedjoin_np, sync_block(&sync, REAL(pthread_timedjoin_np)(thread, value, until)),
     (pthread_t thread, void **value, const struct timespec *until))
JOIN(pthread_clockjoin_np,
     sync_block(&sync, REAL(pthread_clockjoin_np)(thread, value, clock, until)),
     (pthread_t thread, void **value, clockid_t clock, const struct timespec *until))
