/* SPDX-License-Identifier: MIT */
#include "base/memory.h"
#include "model/machine.h"

#include <stdlib.h>
#include <string.h>

const char *rule_text(enum rule rule)
{
    static const char *const texts[RULE_COUNT] = {
        [RULE_NONE] = "nothing forbids it",
        [RULE_PROGRAM_ORDER] = "a thread's events keep their order, without gaps",
        [RULE_FORK] = "a thread runs only after its fork",
        [RULE_JOIN] = "a join returns only after the joined thread's last event",
        [RULE_LOCK_HELD] = "a lock that is held cannot be acquired",
        [RULE_LOCK_FREE] = "a lock that is free cannot be released, nor a try of it fail",
        [RULE_SIGNAL] = "a wait returns only after a signal or broadcast that found it waiting",
        [RULE_BARRIER] = "nobody leaves a barrier, or enters it anew, before all have entered",
        [RULE_SEMAPHORE] = "a semaphore wait needs a positive count, and a failed one zero",
        [RULE_ONCE] = "a once-block runs once, and is passed only after its end",
        [RULE_READ] = "a read must see what it saw in the observed run",
        [RULE_BRANCH] = "a branch needs every earlier read of its thread as observed",
    };
    return texts[rule];
}

static void find_instances(struct rules *rules)
{
    const struct history *history = rules->history;
    uint32_t instances = trace_barrier_instances(history->trace);
    uint32_t barriers = trace_count(history->trace, CLASS_BARRIER);
    uint32_t *current = memory_alloc(barriers, sizeof *current);
    memset(current, 0xff, barriers * sizeof *current);
    rules->previous_instance = memory_alloc(instances, sizeof *rules->previous_instance);
    for (uint32_t i = 0; i < history->sync_count; i++) {
        const struct event *event = &history->events[history->syncs[i]];
        if (event->op != EVENT_BARRIER_ENTER || current[event->object] == event->other)
            continue;
        rules->previous_instance[event->other] = current[event->object];
        current[event->object] = event->other;
    }
    free(current);
}

struct rules *rules_create(const struct history *history, enum model model)
{
    struct rules *rules = NEW(struct rules);
    rules->history = history;
    rules->reads_from = history->reads_from;
    rules->has_values = history->has_values;
    rules->has_branches = history->ops & OP_BIT(EVENT_BRANCH);
    rules->model = model;
    if ((model == MODEL_VALUE && !rules->has_values) ||
        (model == MODEL_BRANCH && !rules->has_branches))
        rules->model = MODEL_RF;
    find_instances(rules);
    return rules;
}

void rules_destroy(struct rules *rules)
{
    if (!rules)
        return;
    free(rules->previous_instance);
    free(rules);
}
