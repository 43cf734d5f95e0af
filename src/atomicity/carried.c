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

/* The last thing that the thread did to a variable, if that was a read. */
struct last_read {
    uint32_t pos;
    uint32_t wait; /* how often the thread had waited */
    struct sections held;
};

struct walk {
    const struct history *history;
    struct windows *windows;
    uint32_t thread, waits;
    struct sections held;
    struct map last; /* variable -> place in `reads`, plus one */
    struct reads ARRAY_OF(struct last_read) reads;
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

/* The label of the function that carries the value, plus one; 0 if none does. */
static uint32_t carrier(const struct trace *trace, const struct event *read,
                        const struct event *write, uint32_t common)
{
    uint32_t from, to;
    struct trace_place first = {read->location, read->stack};
    struct trace_place second = {write->location, write->stack};
    if (!place_in(trace, read, common, &from) || !place_in(trace, write, common, &to) ||
        !trace_leads(trace, from, from, to) || !trace_carries(trace, first, second, common))
        return 0;
    const char *name = function_around(trace, from, to);
    return name ? intern(trace->names[CLASS_LABEL], name, strlen(name)) + 1 : 0;
}

static uint32_t known_carrier(struct walk *walk, const struct event *read,
                              const struct event *write, uint32_t common)
{
    bool added;
    uint64_t first = map_mix(map_pair(read->location, read->stack));
    uint64_t second = map_mix(map_pair(write->location, write->stack));
    uint64_t *label = map_at(&walk->known, (first * 3 ^ second) >> 1, &added);
    if (added)
        *label = carrier(walk->history->trace, read, write, common);
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

static bool are_two_sections(const struct walk *walk, const struct last_read *read)
{
    for (uint32_t i = 0; i < walk->held.count; i++) {
        const struct section *now = &walk->held.items[i];
        if (now->acquire > read->pos && was_held(&read->held, now->lock))
            return true;
    }
    return false;
}

static void on_write(struct walk *walk, uint32_t pos, const struct last_read *read)
{
    const struct history *history = walk->history;
    const struct event *first = &history->events[read->pos], *second = &history->events[pos];
    bool atomics = op_in(first->op, OPS_ATOMIC) && second->op == EVENT_ATOMIC_STORE;
    if (read->wait != walk->waits || (!atomics && !are_two_sections(walk, read)))
        return;
    uint32_t common = stack_common(first->stack, second->stack, outer_stack, history->trace);
    uint32_t label = known_carrier(walk, first, second, common);
    if (!label || !is_one_pass(walk, read->pos, pos, common))
        return;
    struct window window = {.object = second->object,
                            .begin = read->pos,
                            .end = pos,
                            .label = label - 1,
                            .carried = true};
    array_push(walk->windows, window);
}

static void access(struct walk *walk, uint32_t pos)
{
    const struct event *event = &walk->history->events[pos];
    uint64_t *place = map_at(&walk->last, event->object, NULL);
    if (event_writes(event)) {
        if (*place && !event_reads(event) && !(event->flags & EVENT_FREES))
            on_write(walk, pos, &walk->reads.items[*place - 1]);
        if (*place) /* what was read before is of no use any more */
            walk->reads.items[*place - 1].wait = UINT32_MAX;
    } else {
        if (!*place) {
            array_grow(&walk->reads, walk->reads.count + 1);
            *place = walk->reads.count;
        }
        walk->reads.items[*place - 1] = (struct last_read){pos, walk->waits, walk->held};
    }
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
        walk.reads.count = 0;
        map_clear(&walk.last);
        for (uint32_t i = 0; i < history_thread_length(history, thread); i++)
            step(&walk, history_pos(history, thread, i));
    }
    map_free(&walk.last);
    map_free(&walk.known);
    map_free(&walk.leads);
    array_free(&walk.reads);
}
