/* sidetrack: atomicity violations next to the observed schedule.
 *
 * A block that acquires one lock twice is vulnerable between the two: whoever
 * acquires the lock there (the culprit) sees the block half done. Three places in
 * which a culprit may have been observed, by the rules of the dissertation's
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
 * Beyond the dissertation: readers-writer locks (readers do not disturb readers),
 * condition variables (a wait releases and re-acquires its mutex; a signal is an
 * edge), semaphores that serve as locks, barriers, once and atomics (edges).
 *
 * Promise: an in-error happened. A before- or after-error is possible if the program
 * is free of races and the culprit's section ends; where it does not (Figure 20.5)
 * the block is broken into by a deadlock instead. */
#include "base/array.h"
#include "base/map.h"
#include "engine/access_history.h"
#include "engine/blocks.h"

#include <stdio.h>

enum mode { EXCLUSIVE, SHARED, MODES };

/* A lock, or a semaphore that serves as one. */
struct window {
    struct access begin, end;
    struct blame ARRAY_OF(uint32_t) blame;
};

struct guard {
    struct access last[MODES]; /* latest acquire a mode; tick 0: none */
    struct epoch released[MODES];
    struct guard_windows ARRAY_OF(struct window) windows; /* latest a thread */
};

struct guards ARRAY_OF(struct guard);

/* What a transaction knows of a guard it acquired. */
struct holding {
    uint32_t transaction;
    struct access first, latest;
    struct access interfering[MODES]; /* acquires ahead that might come later; tick 0: none */
};

struct thread_state {
    struct map holdings; /* guard -> place in `all`; stale if of another transaction */
    struct all_holdings ARRAY_OF(struct holding) all;
    uint32_t next_index;
};

struct blame_of {
    uint32_t *labels;
    uint32_t count;
};

struct sidetrack {
    struct order *order;
    struct blocks *blocks;
    struct guards guards[2]; /* locks, semaphores */
    struct sidetrack_threads ARRAY_OF(struct thread_state) threads;
    /* Shown at the end, when it is known which blocks wait. */
    struct findings *found;
    struct blames ARRAY_OF(struct blame_of) blames; /* parallel to `found` */
};

static void create(struct engine_run *run)
{
    struct sidetrack *self = NEW(struct sidetrack);
    self->order = order_create(ORDER_LOCKS | ORDER_SIGNALS);
    self->blocks = blocks_create(run->trace, run->options);
    self->found = findings_create(run->options->every_pair);
    run->state = self;
}

static bool exclude(const struct access *a, const struct access *b)
{
    return a->op != EVENT_ACQUIRE_READ || b->op != EVENT_ACQUIRE_READ;
}

static enum mode mode_of(unsigned op)
{
    return op == EVENT_ACQUIRE_READ || op == EVENT_RELEASE_READ ? SHARED : EXCLUSIVE;
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
    struct finding finding = {
        .kind = FINDING_ATOMICITY,
        .verdict = error == ATOMICITY_IN ? VERDICT_OBSERVED : VERDICT_CANDIDATE,
        .error = error,
        .engine = run->engine->name,
        .object_class = semaphore ? CLASS_SEMAPHORE : CLASS_LOCK,
        .object = semaphore ? object->object : event_lock(object),
        .block = blame[blamed - 1],
        .events = events,
        .event_count = 3,
    };
    if (!findings_add(self->found, &finding))
        return;
    struct blame_of copy = {memory_copy(blame, blamed * sizeof *blame), blamed};
    array_push(&self->blames, copy);
}

/* [ST ... ACQUIRE], what all three have in common. */
static void check_after(struct engine_run *run, const struct guard *guard,
                        const struct event *event, const struct access *now,
                        const struct vclock *clock)
{
    for (size_t i = 0; i < guard->windows.count; i++) {
        const struct window *window = &guard->windows.items[i];
        if (window->end.thread != now->thread && !saw(clock, &window->end))
            report(run, event, ATOMICITY_AFTER, &window->begin, &window->end, now,
                   window->blame.items, (uint32_t)window->blame.count);
    }
}

/* [ST FIRST ACQUIRE] */
static void first_acquire(struct holding *holding, const struct guard *guard,
                          const struct access *now, const struct vclock *clock)
{
    for (enum mode mode = EXCLUSIVE; mode < MODES; mode++) {
        const struct access *last = &guard->last[mode];
        bool may_come_later = last->tick && last->thread != now->thread && !saw(clock, last);
        holding->interfering[mode] = may_come_later ? *last : (struct access){0};
    }
}

static void remember_window(struct guard *guard, const struct access *begin,
                            const struct access *end, const uint32_t *blame, uint32_t blamed)
{
    struct window *window = NULL;
    for (size_t i = 0; i < guard->windows.count && !window; i++)
        if (guard->windows.items[i].end.thread == end->thread)
            window = &guard->windows.items[i];
    if (!window) {
        array_grow(&guard->windows, guard->windows.count + 1);
        window = &array_last(&guard->windows);
    }
    window->begin = *begin;
    window->end = *end;
    window->blame.count = 0;
    for (uint32_t i = 0; i < blamed; i++)
        array_push(&window->blame, blame[i]);
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
    for (enum mode mode = EXCLUSIVE; mode < MODES; mode++) {
        const struct access *last = &guard->last[mode];
        if (last->thread != now->thread && last->pos > begin->pos &&
            !vclock_saw(clock, guard->released[mode]))
            report(run, event, ATOMICITY_IN, begin, now, last, blame, blamed);
    }
    remember_window(guard, begin, now, blame, blamed);
    /* What might come later than the first acquire need not be able to come later than
     * the others: of the windows up to here, only the widest is sure. */
    blamed = blocks_blamed(self->blocks, now->thread, holding->first.index, &blame);
    for (enum mode mode = EXCLUSIVE; mode < MODES; mode++)
        if (holding->interfering[mode].tick)
            report(run, event, ATOMICITY_BEFORE, &holding->first, now, &holding->interfering[mode],
                   blame, blamed);
}

static struct guard *guard_at(struct sidetrack *self, bool semaphore, uint32_t id)
{
    struct guards *guards = &self->guards[semaphore];
    array_grow(guards, id + 1);
    return &guards->items[id];
}

/* The thread's holding of the guard; *first if it is new to its transaction. */
static struct holding *holding_at(struct sidetrack *self, uint32_t thread, uint64_t key,
                                  uint32_t transaction, bool *first)
{
    struct thread_state *state = &self->threads.items[thread];
    bool added;
    uint64_t *place = map_at(&state->holdings, key, &added);
    if (added) {
        *place = state->all.count;
        array_grow(&state->all, state->all.count + 1);
    }
    struct holding *holding = &state->all.items[*place];
    *first = holding->transaction != transaction;
    holding->transaction = transaction;
    return holding;
}

static void on_acquire(struct engine_run *run, const struct event *event, bool semaphore,
                       uint32_t pos, uint32_t index)
{
    struct sidetrack *self = run->state;
    uint32_t id = semaphore ? event->object : event_lock(event);
    struct guard *guard = guard_at(self, semaphore, id);
    const struct vclock *clock = order_clock(self->order, event->thread);
    struct access now = access_of(event, vclock_get(clock, event->thread), pos, index, 0);
    uint32_t transaction = blocks_transaction(self->blocks, event->thread);
    if (guard->windows.count)
        check_after(run, guard, event, &now, clock);
    if (transaction) {
        bool first;
        struct holding *holding =
            holding_at(self, event->thread, map_pair(semaphore, id), transaction, &first);
        if (first) {
            first_acquire(holding, guard, &now, clock);
            holding->first = now;
        } else {
            second_acquire(run, holding, guard, event, &now, clock);
        }
        holding->latest = now;
    }
    guard->last[mode_of(event->op)] = now;
}

static void on_release(struct sidetrack *self, const struct event *event, bool semaphore)
{
    uint32_t id = semaphore ? event->object : event_lock(event);
    const struct vclock *clock = order_clock(self->order, event->thread);
    guard_at(self, semaphore, id)->released[mode_of(event->op)] =
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

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct sidetrack *self = run->state;
    for (size_t i = 0; i < count; i++) {
        uint32_t thread = events[i].thread;
        if (thread >= self->threads.count)
            array_grow(&self->threads, thread + 1);
        uint32_t index = self->threads.items[thread].next_index++;
        if (op_in(events[i].op, ~(OP_BIT(EVENT_READ) | OP_BIT(EVENT_WRITE))))
            on_event(run, &events[i], first + (uint32_t)i, index);
    }
}

/* "blame a/b" without the blocks that turned out to wait; false if none is left. */
static bool write_blame(struct engine_run *run, const struct blame_of *blame, uint32_t *block,
                        char *note, size_t room)
{
    struct sidetrack *self = run->state;
    size_t used = (size_t)snprintf(note, room, "blame ");
    bool any = false;
    for (uint32_t i = 0; i < blame->count; i++) {
        if (!blocks_atomic(self->blocks, blame->labels[i]))
            continue;
        *block = blame->labels[i];
        if (used < room)
            used += (size_t)snprintf(note + used, room - used, "%s%s", any ? "/" : "",
                                     trace_name(run->trace, CLASS_LABEL, *block));
        any = true;
    }
    return any;
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    struct sidetrack *self = run->state;
    run->candidates = self->found->count;
    for (size_t i = 0; i < self->found->count; i++) {
        struct finding finding = self->found->items[i];
        char note[1024];
        finding.note = note;
        if (write_blame(run, &self->blames.items[i], &finding.block, note, sizeof note))
            findings_add(run->findings, &finding);
    }
    return 0;
}

static void free_guards(struct guards *guards)
{
    for (size_t i = 0; i < guards->count; i++) {
        for (size_t k = 0; k < guards->items[i].windows.count; k++)
            array_free(&guards->items[i].windows.items[k].blame);
        array_free(&guards->items[i].windows);
    }
    array_free(guards);
}

static void destroy(struct engine_run *run)
{
    struct sidetrack *self = run->state;
    for (size_t i = 0; i < self->threads.count; i++) {
        map_free(&self->threads.items[i].holdings);
        array_free(&self->threads.items[i].all);
    }
    for (size_t i = 0; i < self->blames.count; i++)
        free(self->blames.items[i].labels);
    free_guards(&self->guards[0]);
    free_guards(&self->guards[1]);
    array_free(&self->blames);
    array_free(&self->threads);
    findings_destroy(self->found);
    blocks_destroy(self->blocks);
    order_destroy(self->order);
    free(self);
}

const struct engine engine_sidetrack = {
    .name = "sidetrack",
    .summary = "atomic blocks that acquire a lock twice, with blame",
    .promise = "in-errors happened; before- and after-errors are candidates",
    .source = "dissertation part VI",
    .finds = FINDS_ATOMICITY,
    .guarantee = GUARANTEE_HEURISTIC,
    .default_model = MODEL_NONE,
    .create = create,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};
