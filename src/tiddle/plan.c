/* SPDX-License-Identifier: MIT */
#include "tiddle/plan.h"

#include "base/array.h"
#include "base/map.h"
#include "tiddle/conditions.h"

#define NESTING_LIMIT 1000 /* of blocks: each is a C function that calls the next */

static bool has_value(const struct event *event)
{
    return event->flags & EVENT_HAS_VALUE;
}

/* A read whose value was recorded tells what its write wrote; the value of a
 * read-modify-write is what it wrote, so it tells nothing of that kind. */
static bool tells(const struct event *event)
{
    return event_reads(event) && event->op != EVENT_ATOMIC_RMW && has_value(event);
}

static void plan_values(struct plan *plan)
{
    const struct history *history = plan->history;
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    uint64_t *writes = NEW_ARRAY(uint64_t, variables);
    bool *known = NEW_ARRAY(bool, history->count);
    bool *initial_known = NEW_ARRAY(bool, variables);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!tells(event))
            continue;
        uint32_t from = history->reads_from[pos];
        if (from == POS_NONE && !initial_known[event->object]) {
            plan->initial[event->object] = event->value;
            initial_known[event->object] = true;
        } else if (from != POS_NONE && !known[from]) {
            plan->written[from] = event->value;
            known[from] = true;
        }
    }
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!event_writes(event))
            continue;
        writes[event->object]++;
        if (has_value(event))
            plan->written[pos] = event->value;
        else if (!known[pos])
            plan->written[pos] = writes[event->object];
        plan->adds[pos] = !has_value(event) && !known[pos];
    }
    free(writes);
    free(known);
    free(initial_known);
}

static void plan_objects(struct plan *plan)
{
    const struct history *history = plan->history;
    bool *seen = NEW_ARRAY(bool, trace_count(history->trace, CLASS_VARIABLE));
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        uint32_t object = event->object;
        plan->ops |= OP_BIT(event->op);
        if (op_in(event->op, OP_BIT(EVENT_ACQUIRE_READ) | OP_BIT(EVENT_RELEASE_READ) |
                                 OP_BIT(EVENT_ACQUIRE_WRITE) | OP_BIT(EVENT_RELEASE_WRITE)))
            plan->is_rwlock[object] = true;
        if (event_object_class(event->op) != CLASS_VARIABLE)
            continue;
        if (event->op == EVENT_ALLOC || event->op == EVENT_FREE)
            plan->heap[object] = true;
        if (!seen[object] && event->op != EVENT_ALLOC)
            plan->heap_early[object] = true;
        seen[object] = true;
    }
    free(seen);
}

static enum event_op ending(enum event_op op)
{
    switch (op) {
    case EVENT_WAIT_BEGIN:
        return EVENT_WAIT_END;
    case EVENT_BARRIER_ENTER:
        return EVENT_BARRIER_EXIT;
    case EVENT_BLOCK_BEGIN:
        return EVENT_BLOCK_END;
    case EVENT_ONCE_BEGIN:
        return EVENT_ONCE_END;
    default:
        return EVENT_COUNT;
    }
}

struct open_events ARRAY_OF(uint32_t);

static int complain(const struct plan *plan, const struct event *event, const char *reason,
                    struct error *error)
{
    const struct trace *trace = plan->history->trace;
    return error_set(error, ERROR_INPUT, "%s: at %s, thread %.60s %s", trace->path,
                     trace_location(trace, event->location),
                     trace_name(trace, CLASS_THREAD, event->thread), reason);
}

/* Finds the ends of what one call of C must do; these calls nest. False if the
 * thread's blocks cross its once-blocks; blocks can do without a call. */
static bool plan_nesting(struct plan *plan, uint32_t thread, struct open_events *open)
{
    const struct history *history = plan->history;
    open->count = 0;
    for (uint32_t i = 0; i < history_thread_length(history, thread); i++) {
        uint32_t pos = history_pos(history, thread, i);
        uint8_t op = history->events[pos].op;
        bool block = op == EVENT_BLOCK_BEGIN || op == EVENT_BLOCK_END;
        if (block && plan->in_place[thread])
            continue;
        if (ending(op) != EVENT_COUNT) {
            array_push(open, pos);
        } else if (op == EVENT_WAIT_END || op == EVENT_BARRIER_EXIT || op == EVENT_BLOCK_END ||
                   op == EVENT_ONCE_END) {
            uint32_t begin = array_pop(open);
            if (ending(history->events[begin].op) != op ||
                (op == EVENT_ONCE_END &&
                 history->events[begin].object != history->events[pos].object))
                return false;
            plan->partner[begin] = pos;
        }
        if (open->count > NESTING_LIMIT)
            return false;
    }
    return true;
}

static int plan_thread(struct plan *plan, uint32_t thread, struct open_events *open,
                       struct error *error)
{
    const struct history *history = plan->history;
    if (plan_nesting(plan, thread, open))
        return 0;
    plan->in_place[thread] = true;
    for (uint32_t i = 0; i < history_thread_length(history, thread); i++)
        plan->partner[history_pos(history, thread, i)] = STEP_NEVER;
    if (plan_nesting(plan, thread, open))
        return 0;
    return complain(plan, &history->events[array_last(open)],
                    "has once-blocks that cross or nest too deep; C functions cannot", error);
}

/* Nobody leaves a barrier that nobody left in the trace: one party is missing. */
static void plan_barriers(struct plan *plan)
{
    const struct history *history = plan->history;
    uint32_t instances = trace_barrier_instances(history->trace);
    bool *left = NEW_ARRAY(bool, instances);
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (history->events[pos].op == EVENT_BARRIER_EXIT)
            left[history->events[pos].other] = true;
    for (uint32_t i = 0; i < instances; i++)
        plan->parties[i] = trace_barrier_parties(history->trace, i) + !left[i];
    free(left);
}

static int plan_waits(struct plan *plan, bool strict, struct error *error)
{
    const struct history *history = plan->history;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event->op == EVENT_WAIT_BEGIN && plan->is_rwlock[event->other])
            return complain(plan, event, "waits with a readers-writer lock instead of a mutex",
                            error);
    }
    const char *reason;
    uint32_t broken = POS_NONE;
    if (strict)
        plan->signal_of = conditions_plan(history, &broken, &reason);
    return broken == POS_NONE ? 0 : complain(plan, &history->events[broken], reason, error);
}

static void plan_end(struct plan *plan)
{
    const struct history *history = plan->history;
    struct map held = {0};
    plan->clean_end = true;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (event_acquires(event))
            map_at(&held, map_pair(event_lock(event), event->thread), NULL);
        else if (event_releases(event))
            map_remove(&held, map_pair(event_lock(event), event->thread));
        if (ending(event->op) != EVENT_COUNT && plan->partner[pos] == STEP_NEVER &&
            !(event->op == EVENT_BLOCK_BEGIN && plan->in_place[event->thread]))
            plan->clean_end = false;
    }
    if (held.count)
        plan->clean_end = false;
    map_free(&held);
}

int plan_create(struct plan *plan, struct trace *trace, const struct history *history, bool strict,
                struct error *error)
{
    *plan = (struct plan){0};
    tiddle_complete(trace, history, &plan->completion);
    const struct history *whole = plan->history = plan->completion.history;
    uint32_t variables = trace_count(trace, CLASS_VARIABLE);
    plan->written = NEW_ARRAY(uint64_t, whole->count);
    plan->adds = NEW_ARRAY(bool, whole->count);
    plan->initial = NEW_ARRAY(uint64_t, variables);
    plan->heap = NEW_ARRAY(bool, variables);
    plan->heap_early = NEW_ARRAY(bool, variables);
    plan->is_rwlock = NEW_ARRAY(bool, trace_count(trace, CLASS_LOCK));
    plan->partner = memory_alloc(whole->count, sizeof *plan->partner);
    memset(plan->partner, 0xff, whole->count * sizeof *plan->partner);
    plan->in_place = NEW_ARRAY(bool, whole->threads);
    plan->parties = NEW_ARRAY(uint32_t, trace_barrier_instances(trace));
    plan_values(plan);
    plan_objects(plan);
    plan_barriers(plan);
    struct open_events open = {0};
    int code = plan_waits(plan, strict, error);
    for (uint32_t thread = 0; !code && thread < whole->threads; thread++)
        code = plan_thread(plan, thread, &open, error);
    array_free(&open);
    plan_end(plan);
    return code;
}

void plan_free(struct plan *plan)
{
    completion_free(&plan->completion);
    free(plan->written);
    free(plan->adds);
    free(plan->initial);
    free(plan->heap);
    free(plan->heap_early);
    free(plan->is_rwlock);
    free(plan->partner);
    free(plan->in_place);
    free(plan->signal_of);
    free(plan->parties);
}
