/* SPDX-License-Identifier: MIT */
/* Happens-before of a trial's witness, followed from one event on: what has seen it, and by
 * which edges that the solver could have avoided. The edges are those of model/order.h with
 * locks, signals, plain reads and atomics as their memory orders say. Under `rf` only those of
 * locks, signals and posts depend on the order; all others are there whenever both events are. */
#include "constraints/smt_trial_state.h"

/* How something saw the event: through an edge that could be avoided, after another such. */
struct link {
    uint32_t before; /* seen: a place in links plus one; 1: the event itself */
    uint32_t from, to;
    uint32_t between; /* a third event without which there is no edge, or POS_NONE */
};

/* By object or thread: 0 if it has not seen the event, or a place in links plus one. */
struct smt_hb {
    const struct smt_window *window;
    struct links ARRAY_OF(struct link) links;
    uint32_t *threads, *signals, *released, *to_acquire; /* by thread */
    uint32_t *wait_begin; /* by thread, while it waits: pos plus one */
    uint32_t *written, *written_by, *shared, *shared_by; /* by lock, and the releases */
    uint32_t *signalled_by;                              /* by thread, the signal */
    uint32_t *posts, *posted_by, *takes, *taken_by;      /* by semaphore */
    uint32_t *onces, *instances, *writes, *atomics;
    struct map holds; /* (lock, thread) to what the holder had seen at its acquire, and that */
    uint32_t *memory; /* of all of these */
    size_t room;
};

static uint32_t *take(uint32_t **memory, size_t count)
{
    uint32_t *taken = *memory;
    *memory += count;
    return taken;
}

struct smt_hb *smt_hb_create(const struct smt_window *window)
{
    struct smt_hb *hb = NEW(struct smt_hb);
    const struct trace *trace = window->history->trace;
    size_t threads = window->history->threads, locks = trace_count(trace, CLASS_LOCK);
    size_t semaphores = trace_count(trace, CLASS_SEMAPHORE), onces = trace_count(trace, CLASS_ONCE);
    size_t variables = trace_count(trace, CLASS_VARIABLE);
    size_t instances = trace_barrier_instances(trace);
    hb->window = window;
    hb->room = 6 * threads + 4 * locks + 4 * semaphores + onces + instances + 2 * variables;
    uint32_t *memory = hb->memory = NEW_ARRAY(uint32_t, hb->room);
    hb->threads = take(&memory, threads);
    hb->signals = take(&memory, threads);
    hb->released = take(&memory, threads);
    hb->to_acquire = take(&memory, threads);
    hb->wait_begin = take(&memory, threads);
    hb->signalled_by = take(&memory, threads);
    hb->written = take(&memory, locks);
    hb->written_by = take(&memory, locks);
    hb->shared = take(&memory, locks);
    hb->shared_by = take(&memory, locks);
    hb->posts = take(&memory, semaphores);
    hb->posted_by = take(&memory, semaphores);
    hb->takes = take(&memory, semaphores);
    hb->taken_by = take(&memory, semaphores);
    hb->onces = take(&memory, onces);
    hb->instances = take(&memory, instances);
    hb->writes = take(&memory, variables);
    hb->atomics = take(&memory, variables);
    return hb;
}

void smt_hb_destroy(struct smt_hb *hb)
{
    if (!hb)
        return;
    array_free(&hb->links);
    map_free(&hb->holds);
    free(hb->memory);
    free(hb);
}

static void see(uint32_t *seen, uint32_t by)
{
    if (!*seen)
        *seen = by;
}

/* The same through an edge that another order would not have. */
static void see_through(struct smt_hb *hb, uint32_t *seen, uint32_t by, struct link link)
{
    if (*seen || !by)
        return;
    link.before = by;
    array_push(&hb->links, link);
    *seen = (uint32_t)hb->links.count;
}

static void keep(uint32_t *seen, uint32_t *event, uint32_t by, uint32_t pos)
{
    if (*seen || !by)
        return;
    *seen = by;
    *event = pos;
}

static void acquire(struct smt_hb *hb, const struct event *event, uint32_t pos)
{
    uint32_t lock = event_lock(event), *self = &hb->threads[event->thread];
    see_through(hb, self, hb->written[lock], (struct link){0, hb->written_by[lock], pos, POS_NONE});
    if (event->op != EVENT_ACQUIRE_READ)
        see_through(hb, self, hb->shared[lock],
                    (struct link){0, hb->shared_by[lock], pos, POS_NONE});
    if (*self)
        *map_at(&hb->holds, map_pair(lock, event->thread), NULL) = map_pair(*self, pos);
}

static void release(struct smt_hb *hb, const struct event *event, uint32_t pos)
{
    uint32_t lock = event_lock(event), self = hb->threads[event->thread];
    if (event->op == EVENT_RELEASE_READ) {
        keep(&hb->shared[lock], &hb->shared_by[lock], self, pos);
    } else {
        hb->written[lock] = self;
        hb->written_by[lock] = pos;
        hb->shared[lock] = 0;
    }
    uint64_t *held = map_find(&hb->holds, map_pair(lock, event->thread));
    if (held)
        *held = 0;
}

static void try_in_vain(struct smt_hb *hb, const struct event *event, uint32_t pos)
{
    for (uint32_t thread = 0; thread < hb->window->history->threads; thread++) {
        const uint64_t *held = map_find(&hb->holds, map_pair(event_lock(event), thread));
        if (!held || !*held)
            continue;
        uint32_t held_by = (uint32_t)*held;
        see_through(
            hb, &hb->threads[event->thread], (uint32_t)(*held >> 32),
            (struct link){0, held_by, pos, hb->window->release_of[held_by - hb->window->start]});
    }
}

static void signal_all(struct smt_hb *hb, const struct event *event, uint32_t pos)
{
    for (uint32_t thread = 0; thread < hb->window->history->threads; thread++) {
        uint32_t begin = hb->wait_begin[thread];
        if (begin && hb->window->history->events[begin - 1].object == event->object)
            keep(&hb->signals[thread], &hb->signalled_by[thread], hb->threads[event->thread], pos);
    }
}

static void wait_end(struct smt_hb *hb, const struct event *event, uint32_t pos)
{
    uint32_t thread = event->thread;
    if (!(event->flags & EVENT_FAILED))
        see_through(hb, &hb->threads[thread], hb->signals[thread],
                    (struct link){0, hb->signalled_by[thread], pos, hb->wait_begin[thread] - 1});
    hb->wait_begin[thread] = hb->signals[thread] = 0;
}

static void semaphore(struct smt_hb *hb, const struct event *event, uint32_t pos)
{
    uint32_t object = event->object, *self = &hb->threads[event->thread];
    if (event->op == EVENT_POST) {
        keep(&hb->posts[object], &hb->posted_by[object], *self, pos);
    } else if (event->flags & EVENT_FAILED) {
        see_through(hb, self, hb->takes[object],
                    (struct link){0, hb->taken_by[object], pos, POS_NONE});
    } else {
        see_through(hb, self, hb->posts[object],
                    (struct link){0, hb->posted_by[object], pos, POS_NONE});
        keep(&hb->takes[object], &hb->taken_by[object], *self, pos);
    }
}

static bool acquires_memory(const struct event *event)
{
    return event->order != ORDER_RELAXED && event->order != ORDER_RELEASE;
}

static bool releases_memory(const struct event *event)
{
    return event->order >= ORDER_RELEASE;
}

static void fence(struct smt_hb *hb, const struct event *event)
{
    uint32_t *self = &hb->threads[event->thread];
    if (acquires_memory(event))
        see(self, hb->to_acquire[event->thread]);
    if (releases_memory(event))
        hb->released[event->thread] = *self;
}

static void access_atomically(struct smt_hb *hb, const struct event *event)
{
    uint32_t *self = &hb->threads[event->thread], *seen = &hb->atomics[event->object];
    if (event_reads(event))
        see(acquires_memory(event) ? self : &hb->to_acquire[event->thread], *seen);
    if (!event_writes(event))
        return;
    if (event->op != EVENT_ATOMIC_RMW)
        *seen = 0;
    see(seen, releases_memory(event) ? *self : hb->released[event->thread]);
    hb->writes[event->object] = *self;
}

static void access_memory(struct smt_hb *hb, const struct event *event)
{
    uint32_t *self = &hb->threads[event->thread];
    if (op_in(event->op, OPS_ATOMIC)) {
        access_atomically(hb, event);
    } else if (event->op == EVENT_READ) {
        see(self, hb->writes[event->object]);
    } else {
        hb->writes[event->object] = *self;
        hb->atomics[event->object] = 0;
    }
}

static void lock_or_unlock(struct smt_hb *hb, const struct event *event, uint32_t pos)
{
    if (event_acquires(event))
        acquire(hb, event, pos);
    else if (event_releases(event))
        release(hb, event, pos);
    else if (op_in(event->op, OPS_ACQUIRING))
        try_in_vain(hb, event, pos);
}

static void enter_barrier(struct smt_hb *hb, const struct event *event)
{
    uint32_t *self = &hb->threads[event->thread];
    uint32_t previous = hb->window->rules->previous_instance[event->other];
    if (previous != POS_NONE)
        see(self, hb->instances[previous]);
    see(&hb->instances[event->other], *self);
}

static void step(struct smt_hb *hb, uint32_t pos)
{
    const struct event *event = &hb->window->history->events[pos];
    uint32_t *self = &hb->threads[event->thread];
    switch (event->op) {
    case EVENT_READ:
    case EVENT_WRITE:
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_LOOK:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
        access_memory(hb, event);
        break;
    case EVENT_FENCE:
        fence(hb, event);
        break;
    case EVENT_FORK:
        see(&hb->threads[event->object], *self);
        break;
    case EVENT_JOIN:
        see(self, hb->threads[event->object]);
        break;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        signal_all(hb, event, pos);
        break;
    case EVENT_POST:
    case EVENT_SEM_WAIT:
        semaphore(hb, event, pos);
        break;
    case EVENT_BARRIER_ENTER:
        enter_barrier(hb, event);
        break;
    case EVENT_BARRIER_EXIT:
        see(self, hb->instances[event->other]);
        break;
    case EVENT_ONCE_END:
        hb->onces[event->object] = *self;
        break;
    case EVENT_ONCE_PASS:
        see(self, hb->onces[event->object]);
        break;
    case EVENT_WAIT_BEGIN:
        hb->wait_begin[event->thread] = pos + 1;
        break;
    case EVENT_WAIT_END:
        wait_end(hb, event, pos);
        break;
    default:
        break;
    }
    lock_or_unlock(hb, event, pos);
}

uint32_t smt_hb_follow(struct smt_hb *hb, const struct smt_positions *witness, uint32_t first)
{
    const struct event *events = hb->window->history->events;
    uint32_t last = array_last(witness);
    memset(hb->memory, 0, hb->room * sizeof *hb->memory);
    map_clear(&hb->holds);
    hb->links.count = 0;
    array_push(&hb->links, ((struct link){0, POS_NONE, POS_NONE, POS_NONE}));
    for (size_t i = 0; i + 1 < witness->count; i++) {
        uint32_t pos = witness->items[i];
        if (pos == first)
            see(&hb->threads[events[pos].thread], 1);
        step(hb, pos);
    }
    return hb->threads[events[last].thread];
}

/* Ways for one edge not to be there. */
static void avoid(struct smt_encoding *encoding, const struct link *link, struct smt_refs *ways)
{
    struct smt_formula *formula = &encoding->formula;
    array_push(ways, smt_not(formula, smt_is_executed(encoding, link->from)));
    array_push(ways, smt_not(formula, smt_is_executed(encoding, link->to)));
    array_push(ways, smt_is_before(encoding, link->to, link->from));
    if (link->between == POS_NONE)
        return;
    /* A wait that begins after the signal, or a try after the holder has let go. */
    bool waits = encoding->window->history->events[link->between].op == EVENT_WAIT_BEGIN &&
                 encoding->window->history->events[link->to].op == EVENT_WAIT_END;
    array_push(ways, waits ? smt_is_before(encoding, link->from, link->between)
                           : smt_is_executed_before(encoding, link->between, link->to));
}

void smt_hb_require_other(const struct smt_hb *hb, struct smt_encoding *encoding, uint32_t seen)
{
    struct smt_refs ways = {0};
    array_push(&ways, smt_not(&encoding->formula, encoding->unordered));
    for (; seen > 1; seen = hb->links.items[seen - 1].before)
        avoid(encoding, &hb->links.items[seen - 1], &ways);
    smt_require(encoding, POS_NONE, smt_or(&encoding->formula, ways.items, ways.count));
    array_free(&ways);
}
