/* SPDX-License-Identifier: MIT */
/* sidetrack: atomicity violations next to the observed schedule.
 *
 * A block that acquires one lock twice is vulnerable between the two: whoever
 * acquires the lock there (the culprit) sees the block half done. Three places in
 * which a culprit may have been observed, by the rules of Sadowski's
 * Figure 20.3, all with happens-before clocks taken before the acquire itself:
 *
 *   before   the last acquire ahead of the block was not before the block's first
 *            one, so it might have come later: into the window
 *   in       another thread released the lock since the block did: it happened
 *   after    an acquire that the end of an earlier window is not before might
 *            have come earlier: into that window
 *
 * An acquire's clock is seen whole or not at all (a thread's tick ends whenever
 * its clock is published), so the clocks A, R and V of the figure are epochs here,
 * V the latest window of each thread. Plain accesses cost nothing at all.
 *
 * Beyond Sadowski: readers-writer locks (readers do not disturb readers),
 * condition variables (a wait releases and re-acquires its mutex; a signal is an
 * edge), semaphores that serve as locks, barriers, once and atomics (edges).
 *
 * Promise: an in-error happened. A before- or after-error is possible if the program
 * is free of races and the culprit's section ends; where it does not (Figure 20.5)
 * the block is broken into by a deadlock instead. */
#include "atomicity/blame.h"
#include "engine/found.h"
#include "atomicity/sidetrack_holdings.h"

struct thread_state {
    struct holdings holdings;
    uint32_t next_index;
};

struct sidetrack {
    struct order *order;
    struct blocks *blocks;
    struct guards guards[2]; /* locks, semaphores */
    struct sidetrack_threads ARRAY_OF(struct thread_state) threads;
    struct blame *blame;
};

static void create(struct engine_run *run)
{
    struct sidetrack *self = NEW(struct sidetrack);
    self->order = order_create(ORDER_LOCKS | ORDER_SIGNALS);
    self->blocks = blocks_create(run->trace, run->options);
    self->blame = blame_create(run->options->every_pair);
    run->state = self;
}

static bool exclude(const struct access *a, const struct access *b)
{
    return a->op != EVENT_ACQUIRE_READ || b->op != EVENT_ACQUIRE_READ;
}

static bool saw(const struct vclock *clock, const struct access *access)
{
    return vclock_saw(clock, (struct epoch){access->thread, access->tick});
}

/* Does the culprit disturb the window? It must clash with both ends. */
static void report(struct engine_run *run, const struct event *object, enum atomicity_error error,
                   const struct access *begin, const struct access *end,
                   const struct access *culprit, const uint32_t *blame, uint32_t blamed)
{
    if (!blamed || !exclude(begin, culprit) || !exclude(end, culprit))
        return;
    struct sidetrack *self = run->state;
    struct finding_event events[3];
    access_fill(&events[0], begin);
    access_fill(&events[1], end);
    access_fill(&events[2], culprit);
    bool semaphore = object->op == EVENT_SEM_WAIT;
    struct finding finding = found_any(run, FINDING_ATOMICITY, MODEL_NONE, events, 3);
    finding.verdict = error == ATOMICITY_IN ? VERDICT_OBSERVED : VERDICT_CANDIDATE;
    finding.error = error;
    finding.object_class = semaphore ? CLASS_SEMAPHORE : CLASS_LOCK;
    finding.object = semaphore ? object->object : event_lock(object);
    finding.block = blame[blamed - 1];
    blame_add(self->blame, &finding, blame, blamed);
}

/* [ST ... ACQUIRE], what all three have in common. */
static void check_after(struct engine_run *run, struct guard *guard, const struct event *event,
                        const struct access *now, const struct vclock *clock)
{
    for (size_t i = guard->ends.count; i-- > 0;) {
        if (vclock_saw(clock, guard->ends.items[i].epoch)) { /* its own thread's among them */
            if (guard->one_owner)
                break;
            continue;
        }
        struct guard_window *window = &guard->windows.items[guard->ends.items[i].window];
        uint32_t *reported = &window->reported[now->location % 6];
        if (*reported == now->location + 1 && !run->options->every_pair)
            continue;
        *reported = now->location + 1;
        report(run, event, ATOMICITY_AFTER, &window->begin, &window->end, now, window->blame.items,
               (uint32_t)window->blame.count);
    }
}

/* [ST FIRST ACQUIRE] */
static void first_acquire(struct holding *holding, const struct guard *guard,
                          const struct access *now, const struct vclock *clock)
{
    for (enum guard_mode mode = EXCLUSIVE; mode < MODES; mode++) {
        const struct access *last = &guard->last[mode];
        bool may_come_later = last->tick && last->thread != now->thread && !saw(clock, last);
        holding->interfering[mode] = may_come_later ? *last : (struct access){0};
    }
}

/* [ST SECOND ACQUIRE] */
static void second_acquire(struct engine_run *run, const struct holding *holding,
                           struct guard *guard, const struct event *event, const struct access *now,
                           const struct vclock *clock)
{
    struct sidetrack *self = run->state;
    const struct access *begin = &holding->latest;
    const uint32_t *blame;
    uint32_t blamed = blocks_blamed(self->blocks, now->thread, begin->index, &blame);
    for (enum guard_mode mode = EXCLUSIVE; mode < MODES; mode++) {
        const struct access *last = &guard->last[mode];
        if (last->thread != now->thread && last->pos > begin->pos &&
            !vclock_saw(clock, guard->released[mode]))
            report(run, event, ATOMICITY_IN, begin, now, last, blame, blamed);
    }
    guard_remember_window(guard, begin, now, blame, blamed);
    /* What might come later than the first acquire need not be able to come later than
     * the others: of the windows up to here, only the widest is sure. */
    blamed = blocks_blamed(self->blocks, now->thread, holding->first.index, &blame);
    for (enum guard_mode mode = EXCLUSIVE; mode < MODES; mode++)
        if (holding->interfering[mode].tick)
            report(run, event, ATOMICITY_BEFORE, &holding->first, now, &holding->interfering[mode],
                   blame, blamed);
}

static void on_acquire(struct engine_run *run, const struct event *event, bool semaphore,
                       uint32_t pos, uint32_t index)
{
    struct sidetrack *self = run->state;
    uint32_t id = semaphore ? event->object : event_lock(event);
    struct guard *guard = guard_at(&self->guards[semaphore], id);
    const struct vclock *clock = order_clock(self->order, event->thread);
    struct access now = access_of(event, vclock_get(clock, event->thread), pos, index, 0);
    uint32_t transaction = blocks_transaction(self->blocks, event->thread);
    if (!guard->last[EXCLUSIVE].tick && !guard->last[SHARED].tick)
        guard->one_owner = !semaphore;
    guard->one_owner &= guard_mode_of(event->op) == EXCLUSIVE;
    if (guard->ends.count)
        check_after(run, guard, event, &now, clock);
    if (transaction) {
        bool first;
        struct holding *holding = holdings_at(&self->threads.items[event->thread].holdings,
                                              map_pair(semaphore, id), transaction, &first);
        if (first) {
            first_acquire(holding, guard, &now, clock);
            holding->first = now;
        } else {
            second_acquire(run, holding, guard, event, &now, clock);
        }
        holding->latest = now;
    }
    guard->last[guard_mode_of(event->op)] = now;
}

static void on_release(struct sidetrack *self, const struct event *event, bool semaphore)
{
    uint32_t id = semaphore ? event->object : event_lock(event);
    const struct vclock *clock = order_clock(self->order, event->thread);
    guard_at(&self->guards[semaphore], id)->released[guard_mode_of(event->op)] =
        (struct epoch){event->thread, vclock_get(clock, event->thread)};
}

/* A semaphore that was taken before it was posted has a count to hand out: it
 * guards something. One that must be posted first is a signal, and only an edge. */
static bool serves_as_lock(const struct engine_run *run, const struct event *event)
{
    return trace_semaphore_initial(run->trace, event->object) > 0;
}

static void on_event(struct engine_run *run, const struct event *event, uint32_t pos,
                     uint32_t index)
{
    struct sidetrack *self = run->state;
    if (op_in(event->op, OPS_BLOCKS))
        blocks_step(self->blocks, event, index);
    if (event_acquires(event))
        on_acquire(run, event, false, pos, index);
    else if (event_releases(event))
        on_release(self, event, false);
    else if (event->op == EVENT_SEM_WAIT && !(event->flags & EVENT_FAILED) &&
             serves_as_lock(run, event))
        on_acquire(run, event, true, pos, index);
    else if (event->op == EVENT_POST)
        on_release(self, event, true);
    order_step(self->order, event);
}

static const struct guard *guard_of(const struct sidetrack *self, const struct event *event)
{
    return op_in(event->op, OPS_ACQUIRING) && event_lock(event) < self->guards[0].count
               ? &self->guards[0].items[event_lock(event)]
               : NULL;
}

/* Locks are spread over memory, and so are their windows: called for some events ahead. */
static void prefetch(const struct sidetrack *self, const struct event *events, size_t count,
                     size_t at)
{
    enum { FAR = 24, NEAR = 12 };
    const struct guard *guard = at + FAR < count ? guard_of(self, &events[at + FAR]) : NULL;
    if (guard) {
        __builtin_prefetch(guard);
        __builtin_prefetch((const char *)guard + 64);
    }
    guard = at + NEAR < count ? guard_of(self, &events[at + NEAR]) : NULL;
    if (guard && guard->ends.count)
        __builtin_prefetch(&array_last(&guard->ends));
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct sidetrack *self = run->state;
    for (size_t i = 0; i < count; i++) {
        uint32_t thread = events[i].thread;
        if (thread >= self->threads.count)
            array_grow(&self->threads, thread + 1);
        uint32_t index = self->threads.items[thread].next_index++;
        prefetch(self, events, count, i);
        if (op_in(events[i].op, ~(OP_BIT(EVENT_READ) | OP_BIT(EVENT_WRITE))))
            on_event(run, &events[i], first + (uint32_t)i, index);
    }
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    struct sidetrack *self = run->state;
    blame_show(self->blame, self->blocks, run);
    run->candidates = run->findings->count;
    return 0;
}

static void destroy(struct engine_run *run)
{
    struct sidetrack *self = run->state;
    for (size_t i = 0; i < self->threads.count; i++)
        holdings_free(&self->threads.items[i].holdings);
    guards_free(&self->guards[0]);
    guards_free(&self->guards[1]);
    array_free(&self->threads);
    blame_destroy(self->blame);
    blocks_destroy(self->blocks);
    order_destroy(self->order);
    free(self);
}

const struct engine engine_sidetrack = {
    .name = "sidetrack",
    .summary = "atomic blocks that acquire a lock twice, with blame",
    .promise = "in-errors happened; before- and after-errors are candidates",
    .source = "Sadowski, part VI",
    .finds = FINDS_ATOMICITY,
    .guarantee = GUARANTEE_HEURISTIC,
    .default_model = MODEL_NONE,
    .create = create,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};
