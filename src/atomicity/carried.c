/* SPDX-License-Identifier: MIT */
#include "atomicity/carried.h"

#include "base/map.h"

enum {
    LOCKS_MOST = 8,     /* held at once; of more the inner ones are not looked at */
    BETWEEN_MOST = 4096 /* events of a thread from a read to its write */
};

struct section {
    uint32_t lock, acquire; /* pos */
};

struct sections {
    struct section items[LOCKS_MOST];
    uint32_t count;
};

struct past_read {
    uint32_t pos;
    uint32_t wait; /* how often the thread had waited; UINT32_MAX: there is none */
    struct sections held;
};

/* What the thread did to a variable since it wrote it last. */
struct past {
    struct past_read last, before; /* `before`: in an earlier section than the last */
};

struct walk {
    const struct history *history;
    struct windows *windows;
    uint32_t thread, waits;
    struct sections held;
    struct map last; /* variable -> place in `pasts`, plus one */
    struct pasts ARRAY_OF(struct past) pasts;
    struct map known; /* two places -> label of the function, plus one; 0: not carried */
    struct map leads; /* three locations -> trace_leads() */
};

/* --- where both are ------------------------------------------------------------------- */

static uint32_t outer_stack(const void *trace, uint32_t stack)
{
    uint32_t location, outer;
    return trace_caller(trace, stack, &location, &outer) && outer < stack ? outer : 0;
}

/* Where in the function that runs on `common` an event is; false if it is not in it. */
static bool place_in(const struct trace *trace, const struct event *event, uint32_t common,
                     uint32_t *location)
{
    uint32_t stack = event->stack, outer;
    *location = event->location;
    while (stack != common) {
        if (stack < common || !trace_caller(trace, stack, location, &outer) || outer >= stack)
            return false;
        stack = outer;
    }
    return true;
}

/* The innermost function, inlined or not, that both places are in. */
static const char *function_around(const struct trace *trace, uint32_t a, uint32_t b)
{
    const char *name, *place, *other, *there, *around = NULL;
    uint32_t depth_a = 0, depth_b = 0;
    while (trace_frame(trace, a, depth_a, &name, &place))
        depth_a++;
    while (trace_frame(trace, b, depth_b, &other, &there))
        depth_b++;
    while (depth_a && depth_b) {
        if (!trace_frame(trace, a, --depth_a, &name, &place) ||
            !trace_frame(trace, b, --depth_b, &other, &there) || !name || !other ||
            strcmp(name, other) != 0)
            break;
        around = name;
        if (strcmp(place, there) != 0) /* two calls: what is inside is not one any more */
            break;
    }
    return around;
}

static bool checks(const struct trace *trace, const struct event *read, const struct event *again,
                   const struct event *write, uint32_t common)
{
    struct trace_place first = {read->location, read->stack};
    struct trace_place last = {write->location, write->stack};
    if (!trace_decides(trace, first, last, common))
        return false;
    if (!again)
        return trace_updates(trace, write->location);
    struct trace_place second = {again->location, again->stack};
    uint32_t inner = stack_common(again->stack, write->stack, outer_stack, trace);
    return trace_carries(trace, second, last, inner) && !trace_decides(trace, second, last, inner);
}

/* A read and a write, and what was read again just before it, or NULL. */
struct pair {
    const struct event *read, *again, *write;
    uint32_t common; /* the stack that both are on */
    enum window_kind kind;
};

/* The label of the function that both are one in, plus one; 0 if they are not. */
static uint32_t block_of(const struct trace *trace, const struct pair *pair)
{
    uint32_t from, to;
    struct trace_place first = {pair->read->location, pair->read->stack};
    struct trace_place second = {pair->write->location, pair->write->stack};
    if (!place_in(trace, pair->read, pair->common, &from) ||
        !place_in(trace, pair->write, pair->common, &to) || !trace_leads(trace, from, from, to))
        return 0;
    if (pair->kind == WINDOW_CARRIED
            ? !trace_carries(trace, first, second, pair->common)
            : !checks(trace, pair->read, pair->again, pair->write, pair->common))
        return 0;
    const char *name = function_around(trace, from, to);
    return name ? intern(trace->names[CLASS_LABEL], name, strlen(name)) + 1 : 0;
}

static uint64_t hash_place(const struct event *event)
{
    return event ? map_mix(map_pair(event->location, event->stack)) : 0;
}

static uint32_t known_block(struct walk *walk, const struct pair *pair)
{
    bool added;
    uint64_t key = hash_place(pair->read) * 3 ^ hash_place(pair->write);
    key = (key * 5 ^ hash_place(pair->again)) * 7 ^ pair->kind;
    uint64_t *label = map_at(&walk->known, key >> 1, &added);
    if (added)
        *label = block_of(walk->history->trace, pair);
    return (uint32_t)*label;
}

static bool leads(struct walk *walk, uint32_t from, uint32_t via, uint32_t to)
{
    bool added;
    uint64_t key = (map_mix(map_pair(from, to)) * 3 ^ map_mix(via)) >> 1;
    uint64_t *answer = map_at(&walk->leads, key, &added);
    if (added)
        *answer = trace_leads(walk->history->trace, from, via, to);
    return *answer != 0;
}

/* Is all that the thread does in between part of the same pass? */
static bool is_one_pass(struct walk *walk, uint32_t read, uint32_t write, uint32_t common)
{
    const struct history *history = walk->history;
    uint32_t from = history->index[read], to = history->index[write], first, last, here;
    uint32_t known = UINT32_MAX;
    if (to - from > BETWEEN_MOST ||
        !place_in(history->trace, &history->events[read], common, &first) ||
        !place_in(history->trace, &history->events[write], common, &last))
        return false;
    for (uint32_t i = from + 1; i < to; i++) {
        const struct event *event = &history->events[history_pos(history, walk->thread, i)];
        if (!place_in(history->trace, event, common, &here))
            return false;
        if (here == known || here == first || here == last)
            continue;
        if (!leads(walk, first, here, last))
            return false;
        known = here;
    }
    return true;
}

/* --- what a thread does ------------------------------------------------------------------ */

static bool was_held(const struct sections *sections, uint32_t lock)
{
    for (uint32_t i = 0; i < sections->count; i++)
        if (sections->items[i].lock == lock)
            return true;
    return false;
}

static bool are_two_sections(const struct walk *walk, const struct past_read *read)
{
    for (uint32_t i = 0; i < walk->held.count; i++) {
        const struct section *now = &walk->held.items[i];
        if (now->acquire > read->pos && was_held(&read->held, now->lock))
            return true;
    }
    return false;
}

/* True if they are a block. */
static bool try_pair(struct walk *walk, uint32_t read, uint32_t again, uint32_t write,
                     enum window_kind kind)
{
    const struct history *history = walk->history;
    struct pair pair = {.read = &history->events[read],
                        .again = again == POS_NONE ? NULL : &history->events[again],
                        .write = &history->events[write],
                        .kind = kind};
    pair.common = stack_common(pair.read->stack, pair.write->stack, outer_stack, history->trace);
    uint32_t label = known_block(walk, &pair);
    if (!label || !is_one_pass(walk, read, write, pair.common))
        return false;
    struct window window = {pair.write->object, read, write, label - 1, kind};
    array_push(walk->windows, window);
    return true;
}

static bool is_usable(const struct walk *walk, const struct past_read *read)
{
    return read->wait == walk->waits && are_two_sections(walk, read);
}

static void on_write(struct walk *walk, uint32_t pos, const struct past *past)
{
    const struct event *events = walk->history->events;
    bool atomics = past->last.wait == walk->waits && op_in(events[past->last.pos].op, OPS_ATOMIC) &&
                   events[pos].op == EVENT_ATOMIC_STORE;
    if (atomics) {
        try_pair(walk, past->last.pos, POS_NONE, pos, WINDOW_CARRIED);
    } else if (is_usable(walk, &past->last)) {
        if (!try_pair(walk, past->last.pos, POS_NONE, pos, WINDOW_CARRIED))
            try_pair(walk, past->last.pos, POS_NONE, pos, WINDOW_CHECKED);
    } else if (is_usable(walk, &past->before)) {
        try_pair(walk, past->before.pos, past->last.pos, pos, WINDOW_CHECKED);
    }
}

static void on_read(struct walk *walk, uint32_t pos, struct past *past)
{
    if (past->last.wait != UINT32_MAX && are_two_sections(walk, &past->last))
        past->before = past->last;
    past->last = (struct past_read){pos, walk->waits, walk->held};
}

static void forget(struct past *past)
{
    past->last.wait = past->before.wait = UINT32_MAX;
}

static void access(struct walk *walk, uint32_t pos)
{
    const struct event *event = &walk->history->events[pos];
    uint64_t *place = map_at(&walk->last, event->object, NULL);
    if (!*place && event_writes(event))
        return;
    if (!*place) {
        array_grow(&walk->pasts, walk->pasts.count + 1);
        *place = walk->pasts.count;
        forget(&array_last(&walk->pasts));
    }
    struct past *past = &walk->pasts.items[*place - 1];
    if (!event_writes(event)) {
        on_read(walk, pos, past);
        return;
    }
    if (!event_reads(event) && !(event->flags & EVENT_FREES))
        on_write(walk, pos, past);
    forget(past); /* what was read before is of no use any more */
}

static bool is_wait(const struct history *history, const struct event *event)
{
    return event->op == EVENT_WAIT_BEGIN || event->op == EVENT_BARRIER_ENTER ||
           event->op == EVENT_JOIN || event->op == EVENT_FORK ||
           (event->op == EVENT_SEM_WAIT && !windows_guards(history->trace, event));
}

static void release(struct sections *held, uint32_t lock)
{
    for (uint32_t i = 0; i < held->count; i++)
        if (held->items[i].lock == lock) {
            held->items[i] = held->items[--held->count];
            return;
        }
}

static void step(struct walk *walk, uint32_t pos)
{
    const struct event *event = &walk->history->events[pos];
    if (op_in(event->op, OPS_ACCESS))
        access(walk, pos);
    walk->waits += is_wait(walk->history, event);
    if (event_releases(event))
        release(&walk->held, event_lock(event));
    if (event_acquires(event) && walk->held.count < LOCKS_MOST)
        walk->held.items[walk->held.count++] = (struct section){event_lock(event), pos};
}

void carried_find(struct windows *windows, const struct history *history)
{
    if (!trace_knows_code(history->trace))
        return;
    struct walk walk = {.history = history, .windows = windows};
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        walk.thread = thread;
        walk.waits = walk.held.count = 0;
        walk.pasts.count = 0;
        map_clear(&walk.last);
        for (uint32_t i = 0; i < history_thread_length(history, thread); i++)
            step(&walk, history_pos(history, thread, i));
    }
    map_free(&walk.last);
    map_free(&walk.known);
    map_free(&walk.leads);
    array_free(&walk.pasts);
}
