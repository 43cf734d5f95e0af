#include "runtime/thread.h"

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
    if (system_call(SYS_get_robust_list, 0, (long)&head, (long)&size, 0, 0, 0) < 0 || !head)
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

struct birth {
    void *(*run)(void *);
    void *argument;
    uint64_t stamp, path;
    uint32_t number, parent, child;
};

static void *preplay_run_thread(void *argument)
{
    struct birth birth = *(struct birth *)argument;
    __libc_free(argument);
    atomic_store(&own_number, birth.number + 1);
    recorder_begin(birth.number, birth.parent, birth.child, 0, birth.stamp, birth.path);
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
