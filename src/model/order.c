#include "model/order.h"

#include "base/array.h"
#include "base/memory.h"

struct clocks ARRAY_OF(struct vclock);

struct lock_clocks {
    struct vclock written; /* releases of exclusive owners */
    struct vclock shared;  /* releases of readers */
    struct vclock readers; /* ticks[t] is 1 while thread t holds it shared */
    uint32_t owner_plus_one;
};

/* A lock that a thread holds, and the moment of its acquire: what a try that fails because
 * of it comes after. The thread's clock was the same then but for its own entry, unless it
 * has been copied here before it grew. */
struct hold {
    uint32_t lock, tick;
    bool copied;
    struct vclock then;
};

struct holds {
    struct hold *items; /* the first `count` are held; others keep their memory */
    size_t count, capacity, uncopied;
};

struct waiter {
    uint32_t thread;
    struct vclock signals; /* those that may have woken it */
};

struct waiters ARRAY_OF(struct waiter);

struct barrier_use {
    uint32_t instance_plus_one, before_plus_one;
};

struct fence_clocks {
    struct vclock released;   /* at the thread's last release fence */
    struct vclock to_acquire; /* seen by relaxed loads, for its next acquire fence */
    bool has_released;
};

/* A thread that is never forked may begin anywhere, and has seen nothing then. In
 * this many events all that there are have begun, we take it. */
#define SETTLED 4096

/* What every thread has seen of each, as of some moment in the past. */
struct seen_by_all {
    uint32_t events; /* so far, up to SETTLED */
    struct vclock least;
    struct vclock ended; /* ticks[t] is 1 once thread t was joined: it sees no more */
    uint64_t asked;      /* since then */
    bool outdated;       /* there is a new thread that has seen nothing */
};

struct order {
    unsigned flags;
    struct clocks threads;
    struct order_locks ARRAY_OF(struct lock_clocks) locks;
    struct order_holds ARRAY_OF(struct holds) holds; /* by thread */
    struct order_conditions ARRAY_OF(struct waiters) conditions;
    struct clocks instances; /* by barrier instance: all who entered */
    struct order_barriers ARRAY_OF(struct barrier_use) barriers;
    struct clocks posts, takes; /* by semaphore */
    struct clocks onces;
    struct clocks atomics; /* by variable: what a load of it acquires */
    struct clocks writes;  /* by variable: the last write (ORDER_READS) */
    struct order_fences ARRAY_OF(struct fence_clocks) fences;
    struct seen_by_all seen;
};

struct order *order_create(unsigned flags)
{
    struct order *order = NEW(struct order);
    order->flags = flags;
    return order;
}

static void free_clocks(struct clocks *clocks)
{
    for (size_t i = 0; i < clocks->count; i++)
        vclock_free(&clocks->items[i]);
    array_free(clocks);
}

void order_destroy(struct order *order)
{
    if (!order)
        return;
    for (size_t i = 0; i < order->locks.count; i++) {
        vclock_free(&order->locks.items[i].written);
        vclock_free(&order->locks.items[i].shared);
        vclock_free(&order->locks.items[i].readers);
    }
    for (size_t i = 0; i < order->conditions.count; i++) {
        for (size_t k = 0; k < order->conditions.items[i].count; k++)
            vclock_free(&order->conditions.items[i].items[k].signals);
        array_free(&order->conditions.items[i]);
    }
    for (size_t i = 0; i < order->fences.count; i++) {
        vclock_free(&order->fences.items[i].released);
        vclock_free(&order->fences.items[i].to_acquire);
    }
    for (size_t i = 0; i < order->holds.count; i++) {
        for (size_t k = 0; k < order->holds.items[i].capacity; k++)
            vclock_free(&order->holds.items[i].items[k].then);
        free(order->holds.items[i].items);
    }
    array_free(&order->holds);
    array_free(&order->locks);
    array_free(&order->conditions);
    array_free(&order->fences);
    array_free(&order->barriers);
    free_clocks(&order->threads);
    free_clocks(&order->instances);
    free_clocks(&order->posts);
    free_clocks(&order->takes);
    free_clocks(&order->onces);
    free_clocks(&order->atomics);
    free_clocks(&order->writes);
    vclock_free(&order->seen.least);
    vclock_free(&order->seen.ended);
    free(order);
}

static struct vclock *at(struct clocks *clocks, uint32_t id)
{
    array_grow(clocks, id + 1);
    return &clocks->items[id];
}

static struct vclock *thread_clock(struct order *order, uint32_t thread)
{
    struct vclock *clock = at(&order->threads, thread);
    if (!vclock_get(clock, thread)) {
        vclock_set(clock, thread, 1);
        order->seen.outdated = true;
    }
    return clock;
}

/* A forked thread begins with what its parent has seen. */
static void begin_forked(struct order *order, uint32_t thread)
{
    vclock_set(at(&order->threads, thread), thread, 1);
}

const struct vclock *order_clock(struct order *order, uint32_t thread)
{
    return thread_clock(order, thread);
}

/* What comes after this moment is not seen by who joined the clock before it. */
static void tick(struct order *order, uint32_t thread)
{
    order->threads.items[thread].ticks[thread]++;
}

static struct lock_clocks *lock_at(struct order *order, uint32_t lock)
{
    array_grow(&order->locks, lock + 1);
    return &order->locks.items[lock];
}

/* The thread's clock grows: from now on it is not what it was at its acquires. */
static void keep_acquires(struct order *order, uint32_t thread)
{
    struct holds *holds = &order->holds.items[thread];
    for (size_t i = 0; i < holds->count; i++) {
        struct hold *hold = &holds->items[i];
        if (hold->copied)
            continue;
        vclock_copy(&hold->then, &order->threads.items[thread]);
        vclock_set(&hold->then, thread, hold->tick);
        hold->copied = true;
    }
    holds->uncopied = 0;
}

/* Joins into the clock of a thread, as everything but a release does. */
static void see(struct order *order, uint32_t thread, struct vclock *clock,
                const struct vclock *other)
{
    if (thread < order->holds.count && order->holds.items[thread].uncopied &&
        !vclock_covers(clock, other))
        keep_acquires(order, thread);
    vclock_join(clock, other);
}

static void hold(struct order *order, uint32_t thread, uint32_t lock)
{
    array_grow(&order->holds, thread + 1);
    struct holds *holds = &order->holds.items[thread];
    size_t before = holds->capacity;
    array_reserve(holds, holds->count + 1);
    if (before < holds->capacity)
        memset(holds->items + before, 0, (holds->capacity - before) * sizeof *holds->items);
    struct hold *hold = &holds->items[holds->count++];
    hold->lock = lock;
    hold->tick = order->threads.items[thread].ticks[thread];
    hold->copied = false;
    holds->uncopied++;
    tick(order, thread); /* what follows is not seen by who sees the acquire */
}

static struct hold *hold_of(const struct order *order, uint32_t thread, uint32_t lock)
{
    if (thread >= order->holds.count)
        return NULL;
    const struct holds *holds = &order->holds.items[thread];
    for (size_t i = holds->count; i-- > 0;)
        if (holds->items[i].lock == lock)
            return &holds->items[i];
    return NULL;
}

static void let_go(struct order *order, uint32_t thread, uint32_t lock)
{
    struct hold *hold = hold_of(order, thread, lock);
    if (!hold)
        return;
    struct holds *holds = &order->holds.items[thread];
    struct hold last = holds->items[--holds->count], gone = *hold;
    holds->uncopied -= !gone.copied;
    *hold = last; /* swapped, not dropped: its clock's memory stays */
    holds->items[holds->count] = gone;
}

/* A try failed because of a holder: its acquire came before. */
static void see_holder(struct order *order, uint32_t holder, uint32_t lock, uint32_t thread,
                       struct vclock *clock)
{
    const struct hold *hold = hold_of(order, holder, lock);
    if (!hold)
        return;
    if (hold->copied) {
        see(order, thread, clock, &hold->then);
        return;
    }
    struct vclock *now = &order->threads.items[holder];
    uint32_t own = vclock_get(now, holder);
    vclock_set(now, holder, hold->tick);
    see(order, thread, clock, now);
    vclock_set(now, holder, own);
}

static void acquire_failed(struct order *order, const struct event *event, struct vclock *clock)
{
    const struct lock_clocks *lock = lock_at(order, event_lock(event));
    if (lock->owner_plus_one)
        see_holder(order, lock->owner_plus_one - 1, event_lock(event), event->thread, clock);
    for (uint32_t reader = 0; reader < lock->readers.size; reader++)
        if (lock->readers.ticks[reader])
            see_holder(order, reader, event_lock(event), event->thread, clock);
}

static void acquire(struct order *order, const struct event *event, struct vclock *clock)
{
    struct lock_clocks *lock = lock_at(order, event_lock(event));
    if (event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END) {
        acquire_failed(order, event, clock);
        return;
    }
    see(order, event->thread, clock, &lock->written);
    if (event->op == EVENT_ACQUIRE_READ) {
        vclock_set(&lock->readers, event->thread, 1);
    } else {
        see(order, event->thread, clock, &lock->shared);
        lock->owner_plus_one = event->thread + 1;
    }
    hold(order, event->thread, event_lock(event));
}

static void release(struct order *order, const struct event *event, const struct vclock *clock)
{
    struct lock_clocks *lock = lock_at(order, event_lock(event));
    if (event->op == EVENT_RELEASE_READ) {
        vclock_join(&lock->shared, clock);
        vclock_set(&lock->readers, event->thread, 0);
    } else {
        vclock_copy(&lock->written, clock);
        vclock_clear(&lock->shared); /* the new owner had seen the readers */
        lock->owner_plus_one = 0;
    }
    let_go(order, event->thread, event_lock(event));
    tick(order, event->thread);
}

static struct waiters *waiters_at(struct order *order, uint32_t condition)
{
    array_grow(&order->conditions, condition + 1);
    return &order->conditions.items[condition];
}

static void signal(struct order *order, const struct event *event, const struct vclock *clock)
{
    struct waiters *waiters = waiters_at(order, event->object);
    for (size_t i = 0; i < waiters->count; i++)
        vclock_join(&waiters->items[i].signals, clock);
    tick(order, event->thread);
}

static void wait_begin(struct order *order, const struct event *event)
{
    struct waiters *waiters = waiters_at(order, event->object);
    struct waiter waiter = {.thread = event->thread};
    array_push(waiters, waiter);
}

static void wait_end(struct order *order, const struct event *event, struct vclock *clock)
{
    struct waiters *waiters = waiters_at(order, event->object);
    for (size_t i = 0; i < waiters->count; i++) {
        struct waiter *waiter = &waiters->items[i];
        if (waiter->thread != event->thread)
            continue;
        if (!(event->flags & EVENT_FAILED))
            see(order, event->thread, clock, &waiter->signals);
        vclock_free(&waiter->signals);
        *waiter = array_pop(waiters);
        return;
    }
}

static void semaphore(struct order *order, const struct event *event, struct vclock *clock)
{
    struct vclock *posts = at(&order->posts, event->object);
    struct vclock *takes = at(&order->takes, event->object);
    if (event->op == EVENT_POST) {
        vclock_join(posts, clock);
    } else if (event->flags & EVENT_FAILED) {
        see(order, event->thread, clock, takes); /* they left nothing */
        return;
    } else {
        see(order, event->thread, clock, posts);
        vclock_join(takes, clock);
    }
    tick(order, event->thread);
}

/* Who enters an instance of a barrier comes after all who entered the one before. */
static void barrier_enter(struct order *order, const struct event *event, struct vclock *clock)
{
    array_grow(&order->barriers, event->object + 1);
    struct barrier_use *use = &order->barriers.items[event->object];
    if (use->instance_plus_one != event->other + 1) {
        use->before_plus_one = use->instance_plus_one;
        use->instance_plus_one = event->other + 1;
    }
    if (use->before_plus_one)
        see(order, event->thread, clock, at(&order->instances, use->before_plus_one - 1));
    vclock_join(at(&order->instances, event->other), clock);
    tick(order, event->thread);
}

static bool acquires_memory(const struct order *order, const struct event *event)
{
    if (!(order->flags & ORDER_C11))
        return true;
    return event->order != ORDER_RELAXED && event->order != ORDER_RELEASE;
}

static bool releases_memory(const struct order *order, const struct event *event)
{
    return !(order->flags & ORDER_C11) || event->order >= ORDER_RELEASE;
}

static struct fence_clocks *fences_of(struct order *order, uint32_t thread)
{
    array_grow(&order->fences, thread + 1);
    return &order->fences.items[thread];
}

static void atomic_load(struct order *order, const struct event *event, struct vclock *clock)
{
    struct vclock *seen = at(&order->atomics, event->object);
    if (acquires_memory(order, event))
        see(order, event->thread, clock, seen);
    else
        vclock_join(&fences_of(order, event->thread)->to_acquire, seen);
}

/* A store begins a new release sequence; a read-modify-write continues it. */
static void atomic_store(struct order *order, const struct event *event, struct vclock *clock)
{
    struct vclock *seen = at(&order->atomics, event->object);
    bool continues = event->op == EVENT_ATOMIC_RMW && order->flags & ORDER_C11;
    if (!continues)
        vclock_clear(seen);
    if (releases_memory(order, event)) {
        vclock_join(seen, clock);
        tick(order, event->thread);
    } else {
        struct fence_clocks *fences = fences_of(order, event->thread);
        if (fences->has_released)
            vclock_join(seen, &fences->released);
    }
}

static void fence(struct order *order, const struct event *event, struct vclock *clock)
{
    if (!(order->flags & ORDER_C11))
        return;
    struct fence_clocks *fences = fences_of(order, event->thread);
    if (acquires_memory(order, event))
        see(order, event->thread, clock, &fences->to_acquire);
    if (releases_memory(order, event)) {
        vclock_copy(&fences->released, clock);
        fences->has_released = true;
        tick(order, event->thread);
    }
}

static void access(struct order *order, const struct event *event, struct vclock *clock)
{
    /* Without C11 orders, an atomic load that saw a plain write is ordered by it. */
    bool plain_store = event->op == EVENT_WRITE && event->object < order->atomics.count;
    if (op_in(event->op, OPS_ATOMIC)) {
        if (event_reads(event))
            atomic_load(order, event, clock);
        if (event_writes(event))
            atomic_store(order, event, clock);
    } else if (plain_store) {
        struct vclock *seen = at(&order->atomics, event->object);
        vclock_clear(seen);
        if (!(order->flags & ORDER_C11)) {
            vclock_copy(seen, clock);
            tick(order, event->thread);
        }
    }
    if (!(order->flags & ORDER_READS))
        return;
    struct vclock *write = at(&order->writes, event->object);
    if (event_reads(event))
        see(order, event->thread, clock, write);
    if (event_writes(event)) {
        vclock_copy(write, clock);
        tick(order, event->thread);
    }
}

void order_step(struct order *order, const struct event *event)
{
    order->seen.events += order->seen.events < SETTLED;
    if (event->op == EVENT_FORK)
        begin_forked(order, event->object); /* may move the clocks: before we point at one */
    struct vclock *clock = thread_clock(order, event->thread);
    switch (event->op) {
    case EVENT_FORK:
        vclock_join(&order->threads.items[event->object], clock);
        tick(order, event->thread);
        return;
    case EVENT_JOIN:
        if (event->object < order->threads.count)
            see(order, event->thread, clock, &order->threads.items[event->object]);
        vclock_set(&order->seen.ended, event->object, 1);
        return;
    case EVENT_WAIT_BEGIN:
        if (order->flags & ORDER_SIGNALS)
            wait_begin(order, event);
        break;
    case EVENT_WAIT_END:
        if (order->flags & ORDER_SIGNALS)
            wait_end(order, event, clock);
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        if (order->flags & ORDER_SIGNALS)
            signal(order, event, clock);
        return;
    case EVENT_POST:
    case EVENT_SEM_WAIT:
        if (order->flags & ORDER_SIGNALS)
            semaphore(order, event, clock);
        return;
    case EVENT_BARRIER_ENTER:
        barrier_enter(order, event, clock);
        return;
    case EVENT_BARRIER_EXIT:
        see(order, event->thread, clock, at(&order->instances, event->other));
        return;
    case EVENT_ONCE_END:
        vclock_copy(at(&order->onces, event->object), clock);
        tick(order, event->thread);
        return;
    case EVENT_ONCE_PASS:
        see(order, event->thread, clock, at(&order->onces, event->object));
        return;
    case EVENT_FENCE:
        fence(order, event, clock);
        return;
    default:
        break;
    }
    if (op_in(event->op, OPS_ACCESS))
        access(order, event, clock);
    else if (!(order->flags & ORDER_LOCKS))
        return;
    else if (op_in(event->op, OPS_ACQUIRING))
        acquire(order, event, clock);
    else if (event_releases(event))
        release(order, event, clock);
}

static uint32_t least_seen(const struct order *order, uint32_t thread)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t i = 0; i < order->threads.count; i++) {
        if (i == thread || vclock_get(&order->seen.ended, i))
            continue;
        uint32_t seen = vclock_get(&order->threads.items[i], thread);
        least = seen < least ? seen : least;
    }
    return least;
}

/* Clocks only grow, so what was seen by all stays seen by all: an old answer is a
 * right one, and a new one costs the square of the number of threads. */
const struct vclock *order_seen_by_all(struct order *order)
{
    struct seen_by_all *seen = &order->seen;
    size_t threads = order->threads.count;
    if (seen->events < SETTLED)
        return &seen->least;
    if (seen->outdated || ++seen->asked > threads * threads) {
        for (uint32_t i = 0; i < threads; i++)
            vclock_set(&seen->least, i, least_seen(order, i));
        seen->outdated = false;
        seen->asked = 0;
    }
    return &seen->least;
}
