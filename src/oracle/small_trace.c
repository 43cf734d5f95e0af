/* SPDX-License-Identifier: MIT */
/* What of a small trace can be known before any state is looked at. */
#include "oracle/small.h"

#include <string.h>

static int too_large(struct error *error, const char *what, uint32_t limit, uint32_t count)
{
    return error_set(error, ERROR_INPUT, "too large for the oracle: %u %s, of at most %u", count,
                     what, limit);
}

static int check_size(const struct history *history, struct error *error)
{
    const struct trace *trace = history->trace;
    const struct {
        const char *what;
        uint32_t limit, count;
    } sizes[] = {
        {"events", SMALL_EVENTS, history->count},
        {"threads", SMALL_THREADS, history->threads},
        {"locks", SMALL_LOCKS, trace_count(trace, CLASS_LOCK)},
        {"variables", SMALL_VARIABLES, trace_count(trace, CLASS_VARIABLE)},
        {"barrier instances", SMALL_INSTANCES, trace_barrier_instances(trace)},
        {"semaphores", SMALL_SEMAPHORES, trace_count(trace, CLASS_SEMAPHORE)},
        {"conditions", SMALL_CONDITIONS, trace_count(trace, CLASS_CONDITION)},
        {"once-blocks", SMALL_ONCES, trace_count(trace, CLASS_ONCE)},
    };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i].count > sizes[i].limit)
            return too_large(error, sizes[i].what, sizes[i].limit, sizes[i].count);
    return 0;
}

static void copy_events(struct small_trace *trace, const struct history *history)
{
    memset(trace->fork_of, NO_EVENT, sizeof trace->fork_of);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        uint8_t thread = (uint8_t)event->thread;
        bool instance = event->op == EVENT_BARRIER_ENTER || event->op == EVENT_BARRIER_EXIT;
        trace->events[pos] = (struct small_event){
            .op = event->op,
            .thread = thread,
            .object = (uint8_t)(instance ? event->other : event->object),
            .lock = (uint8_t)event_lock(event),
            .index = trace->length[thread],
            .join_fork = NO_EVENT,
            .failed = event->flags & EVENT_FAILED,
            .tries = event->flags & EVENT_TRY ||
                     (event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END),
        };
        trace->by_thread[thread][trace->length[thread]++] = (uint8_t)pos;
        if (event->op == EVENT_FORK)
            trace->fork_of[event->object] = (uint8_t)pos;
        else if (event->op == EVENT_JOIN)
            trace->events[pos].join_fork = trace->fork_of[event->object];
        else if (event->op == EVENT_WAIT_BEGIN)
            trace->has_conditions = true;
        trace->gives_up |= event->op == EVENT_WAIT_END && event->flags & EVENT_FAILED;
    }
}

/* What each thread can do for others, and when for the last time. */
static void find_helpers(struct small_trace *trace)
{
    memset(trace->once_begin, NO_EVENT, sizeof trace->once_begin);
    for (uint32_t pos = 0; pos < trace->count; pos++) {
        const struct small_event *event = &trace->events[pos];
        uint8_t after = (uint8_t)(event->index + 1);
        if (event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST)
            trace->last_signal[event->thread][event->object] = after;
        else if (event->op == EVENT_POST)
            trace->last_post[event->thread][event->object] = after;
        else if (event->op == EVENT_BARRIER_ENTER)
            trace->enters[event->thread][event->object] = after;
        else if (event->op == EVENT_ONCE_BEGIN)
            trace->once_begin[event->object] = (uint8_t)pos;
    }
}

/* Used as a lock: one to hand out, and every thread takes and posts in turn. */
static void find_semaphore_locks(struct small_trace *trace)
{
    bool taken[SMALL_THREADS][SMALL_SEMAPHORES] = {0};
    for (uint32_t i = 0; i < SMALL_SEMAPHORES; i++)
        trace->semaphore_is_lock[i] = trace->initial_count[i] == 1;
    for (uint32_t pos = 0; pos < trace->count; pos++) {
        const struct small_event *event = &trace->events[pos];
        bool post = event->op == EVENT_POST;
        if ((!post && event->op != EVENT_SEM_WAIT) || event->failed)
            continue;
        if (taken[event->thread][event->object] != post)
            trace->semaphore_is_lock[event->object] = false;
        taken[event->thread][event->object] = !post;
    }
}

static void find_barriers(struct small_trace *trace, const struct history *history)
{
    uint8_t latest[SMALL_EVENTS]; /* by barrier; each has an event of its own */
    memset(latest, NO_EVENT, sizeof latest);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op != EVENT_BARRIER_ENTER)
            continue;
        if (!trace->parties[event->other]++)
            trace->previous_instance[event->other] = latest[event->object];
        latest[event->object] = (uint8_t)event->other;
    }
}

/* The writes of one variable, and what is known about its first value. */
struct writes {
    uint32_t writes[SMALL_EVENTS]; /* pos; the first is POS_NONE, the initial one */
    uint32_t count;
    bool initial_known;
    uint64_t initial;
};

static void collect_writes(struct writes *writes, const struct history *history, uint32_t variable)
{
    *writes = (struct writes){.writes = {POS_NONE}, .count = 1};
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS) || event->object != variable)
            continue;
        if (writes->count == 1 && event->flags & EVENT_HAS_VALUE && !event_writes(event)) {
            writes->initial_known = true;
            writes->initial = event->value;
        }
        if (event_writes(event))
            writes->writes[writes->count++] = pos;
    }
    if (!writes->initial_known)
        writes->initial_known = trace_initial(history->trace, variable, &writes->initial);
}

/* Does the read at `pos`, which saw `seen`, see the same if it sees `write`? */
static bool is_the_same(const struct history *history, const struct writes *writes,
                        enum model model, uint32_t pos, uint32_t seen, uint32_t write)
{
    const struct event *event = &history->events[pos];
    if (write == seen)
        return true;
    if (model != MODEL_VALUE || !(event->flags & EVENT_HAS_VALUE) || event_writes(event))
        return false;
    if (write == POS_NONE)
        return writes->initial_known && writes->initial == event->value;
    const struct event *writer = &history->events[write];
    return writer->flags & EVENT_HAS_VALUE && writer->value == event->value;
}

static bool read_matters(const struct event *event, enum model model)
{
    return event_reads(event) && (model != MODEL_SYNC || op_in(event->op, OPS_BOUND));
}

/* Writes that no read tells apart are one class. A read's row of answers, one
 * bit a write, is refined into classes as the reads go by. */
static int classify(struct small_trace *trace, const struct history *history, uint32_t variable,
                    struct error *error)
{
    struct writes writes;
    uint8_t class[SMALL_EVENTS] = {0};
    uint32_t classes = 1, seen = POS_NONE;
    collect_writes(&writes, history, variable);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS) || event->object != variable)
            continue;
        if (read_matters(event, trace->model)) {
            uint8_t split[SMALL_EVENTS] = {0}; /* old class -> class of those that answer yes */
            bool yes[SMALL_EVENTS], has_no[SMALL_EVENTS] = {0};
            for (uint32_t i = 0; i < writes.count; i++) {
                yes[i] = is_the_same(history, &writes, trace->model, pos, seen, writes.writes[i]);
                has_no[class[i]] |= !yes[i];
            }
            for (uint32_t i = 0; i < writes.count; i++)
                if (yes[i] && has_no[class[i]]) {
                    if (!split[class[i]])
                        split[class[i]] = (uint8_t)classes++;
                    class[i] = split[class[i]];
                }
        }
        if (event_writes(event))
            seen = pos;
    }
    if (classes > SMALL_CLASSES)
        return too_large(error, "writes of one variable that reads tell apart", SMALL_CLASSES,
                         classes);
    /* The initial value is class 0 in every state's start: swap it there. */
    uint8_t first = class[0];
    for (uint32_t i = 0; i < writes.count; i++)
        class[i] = class[i] == first ? 0 : class[i] == 0 ? first : class[i];
    for (uint32_t i = 1; i < writes.count; i++)
        trace->events[writes.writes[i]].class = class[i];
    seen = POS_NONE;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS) || event->object != variable)
            continue;
        struct small_event *small = &trace->events[pos];
        small->kept = op_in(event->op, OPS_BOUND);
        if (event->op == EVENT_READ || event->op == EVENT_ATOMIC_LOOK)
            small->kept = trace->model == MODEL_RF || trace->model == MODEL_VALUE;
        for (uint32_t i = 0; read_matters(event, trace->model) && i < writes.count; i++)
            if (is_the_same(history, &writes, trace->model, pos, seen, writes.writes[i]))
                small->accepted |= UINT64_C(1) << class[i];
        if (event_writes(event))
            seen = pos;
    }
    if (classes > 1)
        trace->tracked[trace->tracked_count++] = (uint8_t)variable;
    return 0;
}

/* Without a branch, or a value, in the trace the models mean `rf`. */
static enum model effective(const struct history *history, enum model model)
{
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if ((model == MODEL_BRANCH && event->op == EVENT_BRANCH) ||
            (model == MODEL_VALUE && event->flags & EVENT_HAS_VALUE))
            return model;
    }
    return model == MODEL_SYNC ? MODEL_SYNC : MODEL_RF;
}

/* Events that nobody waits to see undone: they are no part of any error, what
 * they do can only enable others, and they depend on nothing that later events
 * of other threads change for the worse. A schedule that reaches an error does
 * so too with such an event moved to the front, or added. */
#define OPS_EAGER                                                                                  \
    (OPS_LOCAL | OP_BIT(EVENT_START) | OP_BIT(EVENT_END) | OP_BIT(EVENT_FENCE) |                   \
     OP_BIT(EVENT_FORK) | OP_BIT(EVENT_JOIN) | OP_BIT(EVENT_BARRIER_ENTER) |                       \
     OP_BIT(EVENT_BARRIER_EXIT) | OP_BIT(EVENT_ONCE_BEGIN) | OP_BIT(EVENT_ONCE_END) |              \
     OP_BIT(EVENT_ONCE_PASS))

static void mark_eager(struct small_trace *trace)
{
    bool tried_lock[SMALL_LOCKS] = {0}, tried_semaphore[SMALL_SEMAPHORES] = {0};
    bool written[SMALL_VARIABLES] = {0};
    uint16_t users[SMALL_VARIABLES] = {0};
    for (uint32_t pos = 0; pos < trace->count; pos++) {
        const struct small_event *event = &trace->events[pos];
        if (op_in(event->op, OPS_ACCESS)) {
            users[event->object] |= (uint16_t)(1u << event->thread);
            written[event->object] |= op_in(event->op, OPS_WRITING);
        } else if (event->failed && event->op == EVENT_SEM_WAIT) {
            tried_semaphore[event->object] = true;
        } else if (event->failed && event->op != EVENT_WAIT_END) {
            tried_lock[event->lock] = true;
        }
    }
    for (uint32_t pos = 0; pos < trace->count; pos++) {
        struct small_event *event = &trace->events[pos];
        if (op_in(event->op, OPS_ACCESS))
            event->eager =
                !(users[event->object] & (users[event->object] - 1)) || !written[event->object];
        else if (event->op == EVENT_POST)
            event->eager = !tried_semaphore[event->object];
        else if (op_in(event->op, OPS_RELEASING))
            event->eager = event->op != EVENT_WAIT_BEGIN && !tried_lock[event->lock];
        else
            event->eager = op_in(event->op, OPS_EAGER);
    }
}

int small_trace_init(struct small_trace *trace, const struct history *history, enum model model,
                     struct error *error)
{
    if (check_size(history, error))
        return -1;
    memset(trace, 0, offsetof(struct small_trace, events));
    trace->count = history->count;
    trace->threads = history->threads;
    trace->variables = trace_count(history->trace, CLASS_VARIABLE);
    trace->model = effective(history, model);
    copy_events(trace, history);
    find_barriers(trace, history);
    for (uint32_t i = 0; i < trace_count(history->trace, CLASS_SEMAPHORE); i++)
        trace->initial_count[i] = (uint8_t)trace_semaphore_initial(history->trace, i);
    find_helpers(trace);
    find_semaphore_locks(trace);
    for (uint32_t variable = 0; variable < trace->variables; variable++)
        if (classify(trace, history, variable, error))
            return -1;
    mark_eager(trace);
    return 0;
}
