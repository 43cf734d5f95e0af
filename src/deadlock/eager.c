/* SPDX-License-Identifier: MIT */
#include "deadlock/eager.h"

#include "base/memory.h"

#include <stdlib.h>

/* Who uses what, as far as it decides what may be executed at once. */
struct usage {
    bool *tried_lock, *tried_semaphore;
    bool *shared; /* variables that are used by several threads */
    bool *written;
    bool *atomic;
};

#define OPS_ALWAYS_EAGER                                                                           \
    (OPS_LOCAL | OP_BIT(EVENT_START) | OP_BIT(EVENT_END) | OP_BIT(EVENT_FENCE) |                   \
     OP_BIT(EVENT_FORK) | OP_BIT(EVENT_JOIN) | OP_BIT(EVENT_BARRIER_ENTER) |                       \
     OP_BIT(EVENT_BARRIER_EXIT) | OP_BIT(EVENT_ONCE_BEGIN) | OP_BIT(EVENT_ONCE_END) |              \
     OP_BIT(EVENT_ONCE_PASS))

static bool is_eager(const struct rules *rules, const struct usage *usage,
                     const struct event *event)
{
    if (event->op == EVENT_BRANCH)
        return rules->model != MODEL_BRANCH;
    if (op_in(event->op, OPS_ALWAYS_EAGER))
        return true;
    if (op_in(event->op, OPS_ACCESS))
        return !usage->shared[event->object] || !usage->written[event->object] ||
               (rules->model == MODEL_SYNC && !usage->atomic[event->object]);
    if (event->op == EVENT_POST)
        return !usage->tried_semaphore[event->object];
    return event_releases(event) && event->op != EVENT_WAIT_BEGIN &&
           !usage->tried_lock[event_lock(event)];
}

static void note_access(struct usage *usage, uint32_t *user, const struct event *event)
{
    uint32_t *first = &user[event->object];
    usage->shared[event->object] |= *first && *first != event->thread + 1;
    *first = event->thread + 1;
    usage->written[event->object] |= event_writes(event);
    usage->atomic[event->object] |= op_in(event->op, OPS_BOUND);
}

bool *eager_find(const struct rules *rules, uint32_t from, uint32_t to)
{
    const struct history *history = rules->history;
    bool *eager = NEW_ARRAY(bool, to - from);
    uint32_t variables = trace_count(history->trace, CLASS_VARIABLE);
    struct usage usage = {
        .tried_lock = NEW_ARRAY(bool, trace_count(history->trace, CLASS_LOCK)),
        .tried_semaphore = NEW_ARRAY(bool, trace_count(history->trace, CLASS_SEMAPHORE)),
        .shared = NEW_ARRAY(bool, variables),
        .written = NEW_ARRAY(bool, variables),
        .atomic = NEW_ARRAY(bool, variables),
    };
    uint32_t *user = NEW_ARRAY(uint32_t, variables);
    for (uint32_t pos = from; pos < to; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS))
            note_access(&usage, user, event);
        else if (event->flags & EVENT_FAILED && event->op == EVENT_SEM_WAIT)
            usage.tried_semaphore[event->object] = true;
        else if (event->flags & EVENT_FAILED && event->op != EVENT_WAIT_END)
            usage.tried_lock[event_lock(event)] = true;
    }
    for (uint32_t pos = from; pos < to; pos++)
        eager[pos - from] = is_eager(rules, &usage, &history->events[pos]);
    free(user);
    free(usage.tried_lock);
    free(usage.tried_semaphore);
    free(usage.shared);
    free(usage.written);
    free(usage.atomic);
    return eager;
}
