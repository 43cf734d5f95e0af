/* SPDX-License-Identifier: MIT */
/* serial: atomic blocks that no serial order of the observed run explains.
 *
 * Each outermost atomic block is a transaction, and so is each event outside of
 * all blocks. Two events of different threads conflict if their order matters:
 * accesses of one variable (one of them a write), operations on one lock (unless
 * both are readers'), waits and signals of one condition, post and wait of one
 * semaphore, entering and leaving one use of a barrier, once, fork and join. The run is
 * conflict-serialisable if and only if the transactions can be ordered so that every
 * conflict goes forward (Velodrome: Flanagan, Freund, Yi 2008); if not, the graph of
 * conflicts has a cycle, and the shortest one through a block is the explanation.
 *
 * It is enough to know the latest conflicting event of each thread. Events outside of
 * blocks share their thread's latest node until a conflict from another thread
 * comes in: the way in is then the first thing a node does, so no way through
 * it goes back in time, and merging adds no cycle.
 *
 * Promise: something is reported if and only if the observed run is not
 * serialisable. Time is linear in the trace (transaction_graph.h). */
#include "atomicity/explain.h"
#include "atomicity/latest.h"

struct objects ARRAY_OF(struct latest);

struct thread_state {
    uint32_t next_index;
    uint32_t node; /* where its events belong now; 0 before its first */
    bool in_block;
    uint32_t block;           /* index at which its block began */
    struct access last, fork; /* its latest event; the fork that made it (mark 0: none) */
    struct seen ARRAY_OF(uint32_t) seen; /* by thread: the latest node it is known to follow */
};

/* Where a conflict with the current event comes from. */
struct source {
    uint32_t thread, node;
};

struct serial {
    struct blocks *blocks;
    struct transaction_graph *graph;
    struct objects objects[CLASS_COUNT];
    struct serial_threads ARRAY_OF(struct thread_state) threads;
    struct sources ARRAY_OF(struct source) sources; /* of the current event */
    struct blame *blame;
};

static struct latest *object_at(struct serial *self, enum object_class class, uint32_t id)
{
    array_grow(&self->objects[class], id + 1);
    return &self->objects[class].items[id];
}

static struct thread_state *thread_at(struct serial *self, uint32_t thread)
{
    array_grow(&self->threads, thread + 1);
    return &self->threads.items[thread];
}

/* --- conflicts --- */

static void add_source(struct serial *self, const struct access *access, uint32_t thread)
{
    if (!access->mark || access->thread == thread || !transaction_live(self->graph, access->mark))
        return;
    struct source source = {access->thread, access->mark};
    array_push(&self->sources, source);
}

static void sources_of(struct serial *self, const struct latest *object, enum touch_kind kind,
                       uint32_t thread)
{
    add_source(self, &object->ordered, thread);
    for (enum touch_kind other = ONE; other < TOUCH_KINDS; other++)
        for (size_t i = 0; i < object->since[other].count && other != kind; i++)
            add_source(self, &object->since[other].items[i], thread);
}

/* Notes what was done, for the explanation; now->tick names it from here on. */
static void touch(struct serial *self, struct access *now, unsigned class, uint32_t id,
                  enum touch_kind kind, uint32_t previous)
{
    const struct thread_state *thread = &self->threads.items[now->thread];
    struct touch operation = {
        .node = now->mark,
        .block = thread->in_block ? thread->block : NO_BLOCK,
        .object = id,
        .object_class = (uint8_t) class,
        .kind = (uint8_t)kind,
        .first = *now,
    };
    now->tick = transaction_touch(self->graph, &operation, previous);
}

/* --- where an event belongs --- */

static void new_node(struct serial *self, struct thread_state *thread, bool block)
{
    uint32_t before = thread->node;
    thread->node = transaction_add(self->graph, block);
    if (before)
        transaction_conflict(self->graph, before, thread->node);
}

/* Outside of blocks, what follows from earlier conflicts by program order alone can go. */
static void drop_seen(struct serial *self, struct thread_state *thread)
{
    bool news = thread->in_block;
    for (size_t i = 0; i < self->sources.count; i++) {
        struct source source = self->sources.items[i];
        array_grow(&thread->seen, source.thread + 1);
        uint32_t *seen = &thread->seen.items[source.thread];
        news |= source.node > *seen;
        *seen = source.node > *seen ? source.node : *seen;
    }
    if (!news)
        self->sources.count = 0;
}

/* `now` is the thread's next event; conflicts come from self->sources. */
static void place(struct serial *self, struct access *now)
{
    struct thread_state *thread = thread_at(self, now->thread);
    bool forked = thread->fork.mark != 0;
    if (forked)
        add_source(self, &thread->fork, now->thread);
    thread->fork.mark = 0;
    drop_seen(self, thread);
    if (!thread->node || (!thread->in_block && self->sources.count))
        new_node(self, thread, false);
    now->mark = thread->node;
    for (size_t i = 0; i < self->sources.count; i++)
        transaction_conflict(self->graph, self->sources.items[i].node, now->mark);
    if (forked)
        touch(self, now, CLASS_THREAD, now->thread, OTHER, 0);
    thread->last = *now;
    self->sources.count = 0;
}

static void conflict_on(struct serial *self, struct access *now, enum object_class class,
                        uint32_t id, enum touch_kind kind)
{
    struct latest *object = object_at(self, class, id);
    sources_of(self, object, kind, now->thread);
    place(self, now);
    touch(self, now, class, id, kind, latest_unbroken(object, kind, now->thread));
    latest_remember(object, kind, now);
}

/* --- events --- */

static void on_lock(struct serial *self, const struct event *event, struct access *now)
{
    bool reader = event->op == EVENT_ACQUIRE_READ || event->op == EVENT_RELEASE_READ;
    bool failed = event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END;
    conflict_on(self, now, CLASS_LOCK, event_lock(event), failed ? OTHER : reader ? ONE : ORDERED);
}

/* A wait is an operation on its mutex and on its condition. */
static void on_wait(struct serial *self, const struct event *event, struct access *now)
{
    struct latest *condition = object_at(self, CLASS_CONDITION, event->object);
    sources_of(self, condition, ONE, now->thread);
    conflict_on(self, now, CLASS_LOCK, event->other, ORDERED);
    touch(self, now, CLASS_CONDITION, event->object, ONE,
          latest_unbroken(condition, ONE, now->thread));
    latest_remember(condition, ONE, now);
}

/* Posts come before the waits they may have served, successful waits before failed
 * ones, and failed ones before the posts that would have served them. */
static void on_semaphore(struct serial *self, const struct event *event, struct access *now)
{
    struct latest *object = object_at(self, CLASS_SEMAPHORE, event->object);
    bool failed = event->flags & EVENT_FAILED;
    enum touch_kind kind = event->op == EVENT_POST ? ONE : failed ? ORDERED : OTHER;
    enum touch_kind before = event->op == EVENT_POST ? ORDERED : failed ? OTHER : ONE;
    for (size_t i = 0; i < object->since[before].count; i++)
        add_source(self, &object->since[before].items[i], now->thread);
    place(self, now);
    touch(self, now, CLASS_SEMAPHORE, event->object, kind, 0);
    latest_remember_all(object, kind, now);
}

static void on_fork(struct serial *self, const struct event *event, struct access *now)
{
    thread_at(self, event->object); /* may move the threads: before place() points at one */
    place(self, now);
    struct thread_state *child = thread_at(self, event->object);
    if (child->node)
        return;
    touch(self, now, CLASS_THREAD, event->object, ONE, 0);
    child->fork = *now;
}

static void on_join(struct serial *self, const struct event *event, struct access *now)
{
    struct access last = thread_at(self, event->object)->last;
    add_source(self, &last, now->thread);
    place(self, now);
    if (last.mark)
        touch(self, &last, CLASS_JOIN, event->object, OTHER, 0);
    touch(self, now, CLASS_JOIN, event->object, ONE, 0);
}

static void on_block(struct serial *self, const struct event *event, struct access *now)
{
    bool changed = blocks_step(self->blocks, event, now->index);
    struct thread_state *thread = thread_at(self, now->thread);
    bool inside = blocks_transaction(self->blocks, now->thread) != 0;
    bool begins = event->op == EVENT_BLOCK_BEGIN;
    if (changed && inside) {
        new_node(self, thread, true);
        thread->block = now->index;
    }
    thread->in_block = inside;
    if (inside)
        transaction_block(self->graph, thread->node, now->index,
                          !begins                                      ? LABEL_END
                          : blocks_atomic(self->blocks, event->object) ? event->object
                                                                       : LABEL_NOT_ATOMIC);
    place(self, now);
    if (changed && !inside)
        transaction_close(self->graph, thread->node);
}

/* Before a wait: blocks that wait are none. */
static void close_waiting(struct serial *self, const struct event *event, uint32_t index)
{
    if (!blocks_step(self->blocks, event, index))
        return;
    struct thread_state *thread = thread_at(self, event->thread);
    thread->in_block = false;
    transaction_close(self->graph, thread->node);
}

static void on_event(struct engine_run *run, const struct event *event, struct access *now)
{
    struct serial *self = run->state;
    switch (event->op) {
    case EVENT_BLOCK_BEGIN:
    case EVENT_BLOCK_END:
        on_block(self, event, now);
        return;
    case EVENT_READ:
    case EVENT_ATOMIC_LOAD:
    case EVENT_ATOMIC_LOOK:
        conflict_on(self, now, CLASS_VARIABLE, event->object, ONE);
        return;
    case EVENT_WRITE:
    case EVENT_ATOMIC_STORE:
    case EVENT_ATOMIC_RMW:
        conflict_on(self, now, CLASS_VARIABLE, event->object, ORDERED);
        return;
    case EVENT_WAIT_BEGIN:
    case EVENT_WAIT_END:
        on_wait(self, event, now);
        return;
    case EVENT_SIGNAL:
    case EVENT_BROADCAST:
        conflict_on(self, now, CLASS_CONDITION, event->object, OTHER);
        return;
    case EVENT_BARRIER_ENTER:
        conflict_on(self, now, CLASS_BARRIER, event->other, ONE);
        return;
    case EVENT_BARRIER_EXIT:
        conflict_on(self, now, CLASS_BARRIER, event->other, OTHER);
        return;
    case EVENT_ONCE_END:
        conflict_on(self, now, CLASS_ONCE, event->object, ONE);
        return;
    case EVENT_ONCE_PASS:
        conflict_on(self, now, CLASS_ONCE, event->object, OTHER);
        return;
    case EVENT_POST:
    case EVENT_SEM_WAIT:
        on_semaphore(self, event, now);
        return;
    case EVENT_FORK:
        on_fork(self, event, now);
        return;
    case EVENT_JOIN:
        on_join(self, event, now);
        return;
    default:
        break;
    }
    if (op_in(event->op, OPS_ACQUIRING | OPS_RELEASING))
        on_lock(self, event, now);
    else
        place(self, now);
}

/* Objects are spread over memory: the one that comes soon is called for now. */
static void prefetch(const struct serial *self, const struct event *event)
{
    const struct objects *variables = &self->objects[CLASS_VARIABLE];
    if (op_in(event->op, OPS_ACCESS) && event->object < variables->count) {
        __builtin_prefetch(&variables->items[event->object]);
        __builtin_prefetch((const char *)&variables->items[event->object] + 64);
    }
}

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    enum { AHEAD = 8 };
    struct serial *self = run->state;
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            prefetch(self, &events[i + AHEAD]);
        const struct event *event = &events[i];
        uint32_t index = thread_at(self, event->thread)->next_index++;
        struct access now = access_of(event, 0, first + (uint32_t)i, index, 0);
        bool block = event->op == EVENT_BLOCK_BEGIN || event->op == EVENT_BLOCK_END;
        if (!block && op_in(event->op, OPS_BLOCKS))
            close_waiting(self, event, index);
        on_event(run, event, &now);
    }
}

static void on_cycle(void *context, struct cycle *cycle)
{
    struct engine_run *run = context;
    struct serial *self = run->state;
    explain_cycle(run, self->blame, cycle);
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    struct serial *self = run->state;
    transaction_graph_finish(self->graph);
    blame_show(self->blame, self->blocks, run);
    return 0;
}

static void create(struct engine_run *run)
{
    struct serial *self = NEW(struct serial);
    self->blocks = blocks_create(run->trace, run->options);
    self->graph = transaction_graph_create(on_cycle, run);
    self->blame = blame_create(run->options->every_pair);
    run->state = self;
}

static void destroy(struct engine_run *run)
{
    struct serial *self = run->state;
    for (int class = 0; class < CLASS_COUNT; class ++) {
        for (size_t i = 0; i < self->objects[class].count; i++)
            latest_free(&self->objects[class].items[i]);
        array_free(&self->objects[class]);
    }
    for (size_t i = 0; i < self->threads.count; i++)
        array_free(&self->threads.items[i].seen);
    array_free(&self->threads);
    array_free(&self->sources);
    blame_destroy(self->blame);
    transaction_graph_destroy(self->graph);
    blocks_destroy(self->blocks);
    free(self);
}

const struct engine engine_serial = {
    .name = "serial",
    .summary = "atomic blocks that no serial order of the observed run explains",
    .promise = "exactly the runs that are not conflict-serialisable",
    .source = "Velodrome (Flanagan, Freund, Yi 2008), in linear time",
    .finds = FINDS_ATOMICITY,
    .guarantee = GUARANTEE_OBSERVED,
    .default_model = MODEL_NONE,
    .create = create,
    .events = on_events,
    .finish = finish,
    .destroy = destroy,
};
