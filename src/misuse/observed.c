/* SPDX-License-Identifier: MIT */
#include "misuse/observed.h"

#include "base/array.h"
#include "misuse/advised.h"

struct held {
    uint32_t lock, since;
};

struct thread_holds ARRAY_OF(struct held);

/* Positions are kept plus one: 0 is "never". */
struct lock_life {
    uint32_t holders, released, destroyed;
    bool spoilt; /* misused already: that an unlock or a destroy is refused then is no news */
};

struct semaphore_life {
    uint32_t taken, destroyed; /* plus one, as of locks: who took it last */
};

/* Who waits for a condition, of whom how many a signal has woken. */
struct condition_life {
    uint32_t waiting, woken, lock, since;
    uint32_t destroyed; /* plus one */
};

/* Who has come to a barrier since somebody left it. */
struct barrier_life {
    uint32_t entered, since;
};

struct observed {
    const struct trace *trace;
    misuse_tell *tell;
    void *context;
    struct advised *advised;           /* NULL: not asked for */
    bool signals;                      /* of destroyed condition variables are told */
    struct ended ARRAY_OF(bool) ended; /* by thread */
    struct holds_of ARRAY_OF(struct thread_holds) threads;
    struct lives ARRAY_OF(struct lock_life) locks;
    struct semaphore_lives ARRAY_OF(struct semaphore_life) semaphores;
    struct condition_lives ARRAY_OF(struct condition_life) conditions;
    struct barrier_lives ARRAY_OF(struct barrier_life) barriers;
};

struct observed *observed_create(const struct trace *trace, bool advise, misuse_tell *tell,
                                 void *context)
{
    struct observed *self = NEW(struct observed);
    self->trace = trace;
    self->advised = advise ? advised_create(tell, context) : NULL;
    self->tell = tell;
    self->context = context;
    return self;
}

void observed_tell_signals(struct observed *self)
{
    self->signals = true;
}

void observed_destroy(struct observed *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->threads.count; i++)
        array_free(&self->threads.items[i]);
    array_free(&self->threads);
    array_free(&self->ended);
    array_free(&self->locks);
    array_free(&self->semaphores);
    array_free(&self->conditions);
    array_free(&self->barriers);
    advised_destroy(self->advised);
    free(self);
}

static struct lock_life *lock_at(struct observed *self, uint32_t lock)
{
    array_grow(&self->locks, lock + 1);
    return &self->locks.items[lock];
}

static struct thread_holds *holds_of(struct observed *self, uint32_t thread)
{
    array_grow(&self->threads, thread + 1);
    return &self->threads.items[thread];
}

static void acquire(struct observed *self, const struct event *event, uint32_t pos)
{
    lock_at(self, event_lock(event))->holders++;
    array_push(holds_of(self, event->thread), ((struct held){event_lock(event), pos}));
}

static void release(struct observed *self, const struct event *event, uint32_t pos)
{
    struct thread_holds *holds = holds_of(self, event->thread);
    struct lock_life *lock = lock_at(self, event_lock(event));
    for (size_t i = holds->count; i-- > 0;) {
        if (holds->items[i].lock != event_lock(event))
            continue;
        for (size_t k = i + 1; k < holds->count; k++)
            holds->items[k - 1] = holds->items[k];
        holds->count--;
        lock->holders--;
        break;
    }
    lock->released = pos + 1;
}

/* Since when somebody holds the lock, the latest of them. */
static uint32_t held_since(const struct observed *self, uint32_t lock)
{
    uint32_t since = POS_NONE;
    for (size_t thread = 0; thread < self->threads.count; thread++) {
        const struct thread_holds *holds = &self->threads.items[thread];
        for (size_t i = 0; i < holds->count; i++)
            if (holds->items[i].lock == lock &&
                (since == POS_NONE || holds->items[i].since > since))
                since = holds->items[i].since;
    }
    return since;
}

static void tell(const struct observed *self, enum misuse rule, uint32_t partner, uint32_t pos)
{
    self->tell(self->context, &(struct misuse_seen){rule, partner, pos});
}

static void destroy(struct observed *self, const struct event *event, uint32_t pos)
{
    struct lock_life *lock = lock_at(self, event->object);
    bool refused = event->flags & EVENT_FAILED;
    enum misuse rule = event->flags & EVENT_FREES     ? MISUSE_FREE_HELD
                       : event->flags & EVENT_IMPLIED ? MISUSE_INIT_HELD
                                                      : MISUSE_DESTROY_HELD;
    if (lock->holders || (refused && !lock->spoilt))
        tell(self, rule, held_since(self, event->object), pos);
    else if (lock->destroyed)
        tell(self, MISUSE_USE_DESTROYED, lock->destroyed - 1, pos);
    if (!refused)
        lock->destroyed = pos + 1;
}

/* A release of a lock that is held, but not so by this thread. */
static void amiss(struct observed *self, const struct event *event, uint32_t pos)
{
    const struct thread_holds *holds = holds_of(self, event->thread);
    for (size_t i = holds->count; i-- > 0;)
        if (holds->items[i].lock == event->object) {
            tell(self, MISUSE_UNLOCK_MODE, holds->items[i].since, pos);
            return;
        }
    tell(self, MISUSE_UNLOCK_FOREIGN, held_since(self, event->object), pos);
}

/* A release of what is free, or the use of what is destroyed. */
static void bad_use(struct observed *self, const struct event *event, uint32_t pos)
{
    struct lock_life *lock = lock_at(self, event->object);
    bool acquires = event->op == EVENT_BAD_ACQUIRE;
    if (acquires || (lock->destroyed && !lock->spoilt))
        tell(self, MISUSE_USE_DESTROYED, lock->destroyed - 1, pos);
    else if (!lock->destroyed)
        tell(self, MISUSE_UNLOCK_FREE, lock->released - 1, pos);
    lock->spoilt = true;
}

/* Nobody unlocks for a thread that has ended. The main thread ends with its process. */
static void end(struct observed *self, const struct event *event, uint32_t pos)
{
    const struct thread_holds *holds = holds_of(self, event->thread);
    array_grow(&self->ended, event->thread + 1);
    self->ended.items[event->thread] = event->thread != 0;
    for (size_t i = 0; i < holds->count && event->thread != 0; i++)
        tell(self, MISUSE_EXIT_HOLDING, holds->items[i].since, pos);
}

static struct condition_life *condition_at(struct observed *self, uint32_t condition)
{
    array_grow(&self->conditions, condition + 1);
    return &self->conditions.items[condition];
}

static void wait_begin(struct observed *self, const struct event *event, uint32_t pos)
{
    struct condition_life *condition = condition_at(self, event->object);
    if (condition->waiting > condition->woken && condition->lock != event->other)
        tell(self, MISUSE_WAIT_TWO_MUTEXES, condition->since, pos);
    condition->waiting++;
    condition->lock = event->other;
    condition->since = pos;
}

static void wait_end(struct observed *self, const struct event *event)
{
    struct condition_life *condition = condition_at(self, event->object);
    bool woken = condition->woken && !(event->flags & EVENT_FAILED);
    condition->waiting -= condition->waiting > 0;
    condition->woken -= woken;
    if (condition->woken > condition->waiting)
        condition->woken = condition->waiting;
}

static void signal_one(struct observed *self, const struct event *event, uint32_t pos)
{
    struct condition_life *condition = condition_at(self, event->object);
    if (condition->destroyed && self->signals)
        tell(self, MISUSE_USE_DESTROYED, condition->destroyed - 1, pos);
    if (event->op == EVENT_BROADCAST)
        condition->woken = condition->waiting;
    else
        condition->woken += condition->woken < condition->waiting;
}

static void destroy_condition(struct observed *self, const struct event *event, uint32_t pos)
{
    struct condition_life *condition = condition_at(self, event->object);
    if (condition->waiting > condition->woken)
        tell(self, MISUSE_DESTROY_WAITED, condition->since, pos);
    condition->destroyed = pos + 1;
}

/* Who leaves was let go by the last one to come, and with it all others. */
static void barrier(struct observed *self, const struct event *event, uint32_t pos)
{
    array_grow(&self->barriers, event->object + 1);
    struct barrier_life *barrier = &self->barriers.items[event->object];
    if (event->op == EVENT_BARRIER_DESTROY && barrier->entered)
        tell(self, MISUSE_DESTROY_WAITED, barrier->since, pos);
    barrier->entered = event->op == EVENT_BARRIER_ENTER ? barrier->entered + 1 : 0;
    barrier->since = pos;
}

/* Which rule it breaks is all that is known. */
static void bad_call(struct observed *self, const struct event *event, uint32_t pos)
{
    enum misuse rule = misuse_find(trace_name(self->trace, CLASS_LABEL, event->object));
    if (rule != MISUSE_NONE && (self->advised || !misuse_is_advice(rule)))
        tell(self, rule, POS_NONE, pos);
}

static struct semaphore_life *semaphore_at(struct observed *self, uint32_t semaphore)
{
    array_grow(&self->semaphores, semaphore + 1);
    return &self->semaphores.items[semaphore];
}

/* A mutex that is used as one, perhaps. */
static void semaphore(struct observed *self, const struct event *event, uint32_t pos)
{
    struct semaphore_life *semaphore = semaphore_at(self, event->object);
    if (event->op == EVENT_POST && event->flags & EVENT_FOREIGN)
        tell(self, MISUSE_UNLOCK_FOREIGN, semaphore->taken - 1, pos);
    if (semaphore->destroyed)
        tell(self, MISUSE_USE_DESTROYED, semaphore->destroyed - 1, pos);
    semaphore->destroyed = 0; /* told once */
    if (event->op == EVENT_POST)
        semaphore->taken = 0;
    else if (!(event->flags & EVENT_FAILED))
        semaphore->taken = pos + 1;
}

/* What comes after a destroy under who waits is no news. */
static void destroy_semaphore(struct observed *self, const struct event *event, uint32_t pos)
{
    bool awaited = event->flags & EVENT_FAILED;
    if (awaited)
        tell(self, MISUSE_DESTROY_AWAITED, POS_NONE, pos);
    semaphore_at(self, event->object)->destroyed = awaited ? 0 : pos + 1;
}

void observed_step(struct observed *self, const struct event *event, uint32_t pos)
{
    if (self->advised)
        advised_step(self->advised, event, pos);
    switch (event->op) {
    case EVENT_DESTROY:
        destroy(self, event, pos);
        break;
    case EVENT_BAD_RELEASE:
    case EVENT_BAD_ACQUIRE:
        if (event->flags & EVENT_FOREIGN)
            amiss(self, event, pos);
        else
            bad_use(self, event, pos);
        break;
    case EVENT_END:
        end(self, event, pos);
        break;
    case EVENT_BAD_WAIT:
        tell(self, MISUSE_WAIT_UNLOCKED, POS_NONE, pos);
        break;
    case EVENT_BAD_JOIN:
        tell(self, MISUSE_BAD_JOIN, POS_NONE, pos);
        break;
    case EVENT_BAD_CALL:
        bad_call(self, event, pos);
        break;
    case EVENT_SEMAPHORE_DESTROY:
        destroy_semaphore(self, event, pos);
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        signal_one(self, event, pos);
        break;
    case EVENT_CONDITION_DESTROY:
        destroy_condition(self, event, pos);
        break;
    case EVENT_BARRIER_ENTER:
    case EVENT_BARRIER_EXIT:
    case EVENT_BARRIER_DESTROY:
        barrier(self, event, pos);
        break;
    case EVENT_POST:
    case EVENT_SEM_WAIT:
        semaphore(self, event, pos);
        break;
    default:
        if (event->op == EVENT_WAIT_BEGIN)
            wait_begin(self, event, pos);
        else if (event->op == EVENT_WAIT_END)
            wait_end(self, event);
        if (event_acquires(event))
            acquire(self, event, pos);
        else if (event_releases(event))
            release(self, event, pos);
    }
}

void observed_finish(struct observed *self)
{
    if (!self->advised)
        return;
    advised_finish(self->advised);
    for (size_t thread = 0; thread < self->threads.count; thread++) {
        const struct thread_holds *holds = &self->threads.items[thread];
        if (thread < self->ended.count && self->ended.items[thread])
            continue; /* told already */
        for (size_t i = 0; i < holds->count; i++)
            tell(self, MISUSE_EXIT_LOCKED, POS_NONE, holds->items[i].since);
    }
}
