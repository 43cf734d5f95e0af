/* SPDX-License-Identifier: MIT */
/* The accesses of a window that csp looks at, and the fastest of its filters (Carril & Tichy,
 * interleavings, section 3): a variable that one lock guards throughout, or that one thread has for
 * itself, has no candidates. The others are csp_pairs.h's. */
#include "csp/csp.h"

#include "deadlock/lock_order.h"
#include "deadlock/stuck_bounds.h"
#include "deadlock/stuck_sets.h"
#include "relations/lock_profile.h"
#include "model/order.h"

/* Plain writes that atomics may see are steps of the model (process.h). */
static bool *find_atomic(const struct history *history)
{
    bool *atomic = NEW_ARRAY(bool, trace_count(history->trace, CLASS_VARIABLE));
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_BOUND))
            atomic[history->events[pos].object] = true;
    return atomic;
}

struct csp *csp_create(struct engine_run *run)
{
    struct csp *csp = NEW(struct csp);
    csp->run = run;
    csp->rules = rules_create(run->history, MODEL_SYNC);
    csp->order = order_create(0);
    csp->profiles = lock_profiles_create();
    csp->segments = NEW_ARRAY(uint32_t, run->history->threads);
    csp->atomic = find_atomic(run->history);
    csp->variables = NEW_ARRAY(struct csp_variable, trace_count(run->trace, CLASS_VARIABLE));
    csp->lock_order = lock_order_create_for(run->history);
    if (stuck_sets_possible(run->trace)) {
        csp->blocking = blocking_create(csp->rules);
        csp->waits = wait_reader_create(csp->blocking, MODEL_SYNC);
        csp->start = machine_create(csp->rules);
        csp->index = search_index_create(run->history, MODEL_SYNC);
        csp->bounds = stuck_bounds_create(csp->blocking, csp->index);
    }
    return csp;
}

void csp_destroy(struct csp *csp)
{
    for (uint32_t i = 0; i < trace_count(csp->run->trace, CLASS_VARIABLE); i++)
        array_free(&csp->variables[i].accesses);
    free(csp->variables);
    free(csp->atomic);
    free(csp->segments);
    array_free(&csp->touched);
    array_free(&csp->pending);
    array_free(&csp->still_pending);
    map_free(&csp->decided);
    map_free(&csp->reported);
    lock_order_destroy(csp->lock_order);
    wait_reader_destroy(csp->waits);
    blocking_destroy(csp->blocking);
    machine_destroy(csp->start);
    stuck_bounds_destroy(csp->bounds);
    search_index_destroy(csp->index);
    free(csp->witness);
    lock_profiles_destroy(csp->profiles);
    order_destroy(csp->order);
    rules_destroy(csp->rules);
    free(csp);
}

void csp_candidates_begin(struct csp *csp)
{
    for (size_t i = 0; i < csp->touched.count; i++)
        csp->variables[csp->touched.items[i]].accesses.count = 0;
    csp->touched.count = 0;
    lock_order_forget(csp->lock_order);
}

/* Only one access of a segment counts, unless every pair is asked for: the others
 * race if it does. A write stands for reads, too, but the kinds are kept apart
 * so that findings name what the program does. */
static bool is_repeated(const struct csp *csp, const struct csp_accesses *accesses, uint32_t pos)
{
    const struct event *events = csp->rules->history->events;
    if (csp->run->options->every_pair)
        return false;
    for (size_t i = accesses->count; i-- > 0;) {
        const struct csp_access *access = &accesses->items[i];
        if (events[access->pos].thread == events[pos].thread &&
            access->segment == csp->segments[events[pos].thread] &&
            events[access->pos].op == events[pos].op)
            return true;
        if (i + 16 < accesses->count)
            break; /* a repetition further back only costs time */
    }
    return false;
}

/* Eraser's candidate set, cut to a few locks: while there is one, no pair needs a look. */
static void note_guards(struct csp *csp, struct csp_variable *variable, uint32_t thread,
                        uint32_t profile)
{
    const struct event *events = csp->rules->history->events;
    if (!variable->accesses.count) {
        variable->shared = false;
        variable->guard_count =
            (uint8_t)lock_profile_exclusive(csp->profiles, profile, variable->guards,
                                            sizeof variable->guards / sizeof *variable->guards);
        return;
    }
    variable->shared |= events[variable->accesses.items[0].pos].thread != thread;
    for (uint8_t i = 0; i < variable->guard_count;) {
        if (lock_profile_holds(csp->profiles, profile, variable->guards[i]))
            i++;
        else
            variable->guards[i] = variable->guards[--variable->guard_count];
    }
}

/* False if the access only repeats another one of its segment. */
static bool on_access(struct csp *csp, uint32_t pos)
{
    const struct event *event = &csp->rules->history->events[pos];
    struct csp_variable *variable = &csp->variables[event->object];
    if (is_repeated(csp, &variable->accesses, pos))
        return false;
    uint32_t profile = lock_profile_now(csp->profiles, event->thread);
    if (!variable->accesses.count)
        array_push(&csp->touched, event->object);
    note_guards(csp, variable, event->thread, profile);
    struct csp_access access = {pos, csp->segments[event->thread], profile};
    array_push(&variable->accesses, access);
    return true;
}

bool csp_candidates_step(struct csp *csp, uint32_t pos)
{
    const struct event *event = &csp->rules->history->events[pos];
    bool counts = op_in(event->op, OPS_ACCESS) ? on_access(csp, pos) : op_in(event->op, OPS_SYNC);
    if (event->op == EVENT_READ)
        return counts; /* no part of any order */
    if (op_in(event->op, OPS_SYNC) || (event->op == EVENT_WRITE && csp->atomic[event->object]))
        csp->segments[event->thread]++;
    lock_order_step(csp->lock_order, event, pos, csp->order);
    order_step(csp->order, event);
    lock_profiles_step(csp->profiles, event);
    return counts;
}
