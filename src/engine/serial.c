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
#include "base/array.h"
#include "base/map.h"
#include "engine/explain.h"

/* Operations on an object: ORDERED ones conflict with all, ONE with OTHER, but not
 * with their like. Reads are ONE. */
enum kind { ORDERED, ONE, OTHER, KINDS };

struct accesses ARRAY_OF(struct access);

struct object {
    struct access ordered;        /* the latest; mark 0: none */
    struct accesses since[KINDS]; /* since then, the latest of each thread (ORDERED: of
                                   * semaphores only, where nothing is) */
};

struct objects ARRAY_OF(struct object);

struct thread_state {
    uint32_t next_index;
    uint32_t node; /* where its events belong now; 0 before its first */
    bool in_block;
    struct access last, fork; /* its latest event; the fork that made it (mark 0: none) */
    struct seen ARRAY_OF(uint32_t) seen; /* by thread: the latest node it is known to follow */
};

struct source {
    struct access access;
    enum object_class class;
    uint32_t object;
};

struct serial {
    struct blocks *blocks;
    struct transaction_graph *graph;
    struct objects objects[CLASS_COUNT];
    struct serial_threads ARRAY_OF(struct thread_state) threads;
    struct sources ARRAY_OF(struct source) sources; /* of the current event */
    struct blame *blame;
};

static struct object *object_at(struct serial *self, enum object_class class, uint32_t id)
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

static void add_source(struct serial *self, const struct access *access, uint32_t thread,
                       enum object_class class, uint32_t object)
{
    if (!access->mark || access->thread == thread || !transaction_live(self->graph, access->mark))
        return;
    struct source source = {*access, class, object};
    array_push(&self->sources, source);
}

static void sources_of(struct serial *self, const struct object *object, enum kind kind,
                       uint32_t thread, enum object_class class, uint32_t id)
{
    add_source(self, &object->ordered, thread, class, id);
    for (enum kind other = ONE; other < KINDS; other++)
        for (size_t i = 0; i < object->since[other].count && other != kind; i++)
            add_source(self, &object->since[other].items[i], thread, class, id);
}

static void remember_latest(struct accesses *since, const struct access *now)
{
    for (size_t i = 0; i < since->count; i++) {
        if (since->items[i].thread == now->thread) {
            since->items[i] = *now;
            return;
        }
    }
    array_push(since, *now);
}

static void remember(struct object *object, enum kind kind, const struct access *now)
{
    if (kind != ORDERED) {
        remember_latest(&object->since[kind], now);
        return;
    }
    object->ordered = *now;
    object->since[ONE].count = object->since[OTHER].count = 0;
}

/* --- where an event belongs --- */

static struct conflict program_order(const struct thread_state *thread, const struct access *now)
{
    return (struct conflict){.source = thread->last, .target = *now};
}

static void new_node(struct serial *self, struct thread_state *thread, bool block,
                     const struct access *now)
{
    uint32_t before = thread->node;
    thread->node = transaction_add(self->graph, block);
    if (!before)
        return;
    struct conflict conflict = program_order(thread, now);
    transaction_conflict(self->graph, before, thread->node, &conflict, self->blocks);
}

/* Outside of blocks, what follows from earlier conflicts by program order alone can go.
 * Otherwise all stay: they may make a shorter cycle. */
static void drop_seen(struct serial *self, struct thread_state *thread)
{
    bool news = thread->in_block;
    for (size_t i = 0; i < self->sources.count; i++) {
        const struct access *source = &self->sources.items[i].access;
        array_grow(&thread->seen, source->thread + 1);
        uint32_t *seen = &thread->seen.items[source->thread];
        news |= source->mark > *seen;
        *seen = source->mark > *seen ? source->mark : *seen;
    }
    if (!news)
        self->sources.count = 0;
}

static void place(struct serial *self, struct access *now)
{
    struct thread_state *thread = thread_at(self, now->thread);
    if (thread->fork.mark)
        add_source(self, &thread->fork, now->thread, CLASS_THREAD, now->thread);
    thread->fork.mark = 0;
    drop_seen(self, thread);
    if (!thread->node || (!thread->in_block && self->sources.count))
        new_node(self, thread, false, now);
    now->mark = thread->node;
    for (size_t i = 0; i < self->sources.count; i++) {
        const struct source *source = &self->sources.items[i];
        struct conflict conflict = {source->access, *now, source->class, source->object, NULL};
        transaction_conflict(self->graph, source->access.mark, now->mark, &conflict, self->blocks);
    }
    thread->last = *now;
    self->sources.count = 0;
}

static void conflict_on(struct serial *self, struct access *now, enum object_class class,
                        uint32_t id, enum kind kind)
{
    struct object *object = object_at(self, class, id);
    sources_of(self, object, kind, now->thread, class, id);
    place(self, now);
    remember(object, kind, now);
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
    struct object *condition = object_at(self, CLASS_CONDITION, event->object);
    sources_of(self, condition, ONE, now->thread, CLASS_CONDITION, event->object);
    conflict_on(self, now, CLASS_LOCK, event->other, ORDERED);
    remember(condition, ONE, now);
}

/* Posts come before the waits they may have served, successful waits before failed
 * ones, and failed ones before the posts that would have served them. */
static void on_semaphore(struct serial *self, const struct event *event, struct access *now)
{
    struct object *object = object_at(self, CLASS_SEMAPHORE, event->object);
    bool failed = event->flags & EVENT_FAILED;
    enum kind kind = event->op == EVENT_POST ? ONE : failed ? ORDERED : OTHER;
    enum kind before = event->op == EVENT_POST ? ORDERED : failed ? OTHER : ONE;
    for (size_t i = 0; i < object->since[before].count; i++)
        add_source(self, &object->since[before].items[i], now->thread, CLASS_SEMAPHORE,
                   event->object);
    place(self, now);
    remember_latest(&object->since[kind], now);
}

static void on_fork(struct serial *self, const struct event *event, struct access *now)
{
    thread_at(self, event->object); /* may move the threads: before place() points at one */
    place(self, now);
    struct thread_state *child = thread_at(self, event->object);
    if (!child->node)
        child->fork = *now;
}

static void on_join(struct serial *self, const struct event *event, struct access *now)
{
    struct access last = thread_at(self, event->object)->last;
    add_source(self, &last, now->thread, CLASS_THREAD, event->object);
    place(self, now);
}

static void on_block(struct serial *self, const struct event *event, struct access *now)
{
    bool changed = blocks_step(self->blocks, event, now->index);
    struct thread_state *thread = thread_at(self, now->thread);
    bool inside = blocks_transaction(self->blocks, now->thread) != 0;
    if (changed && inside)
        new_node(self, thread, true, now);
    thread->in_block = inside;
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

static void on_events(struct engine_run *run, const struct event *events, size_t count,
                      uint32_t first)
{
    struct serial *self = run->state;
    for (size_t i = 0; i < count; i++) {
        const struct event *event = &events[i];
        uint32_t index = thread_at(self, event->thread)->next_index++;
        struct access now = access_of(event, 0, first + (uint32_t)i, index, 0);
        bool block = event->op == EVENT_BLOCK_BEGIN || event->op == EVENT_BLOCK_END;
        if (!block && op_in(event->op, OPS_BLOCKS))
            close_waiting(self, event, index);
        on_event(run, event, &now);
    }
}

static void on_cycle(void *context, const struct cycle *cycle)
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
            for (enum kind kind = ORDERED; kind < KINDS; kind++)
                array_free(&self->objects[class].items[i].since[kind]);
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
