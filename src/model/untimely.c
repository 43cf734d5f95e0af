/* SPDX-License-Identifier: MIT */
#include "model/untimely.h"

#include "base/map.h"
#include "base/memory.h"
#include "model/machine.h"

#include <stdlib.h>

#define OPS_USE (OP_BIT(EVENT_READ) | OP_BIT(EVENT_ATOMIC_LOAD) | OP_BIT(EVENT_ATOMIC_LOOK))
/* A read-modify-write passes on what was there: it ends nothing. */
#define OPS_END (OP_BIT(EVENT_WRITE) | OP_BIT(EVENT_ATOMIC_STORE))

/* By variable: the write that leaves it to nobody, or POS_NONE. */
static uint32_t *find_ends(const struct history *history)
{
    uint32_t *ends = memory_alloc(history->variables, sizeof *ends);
    for (uint32_t i = 0; i < history->variables; i++)
        ends[i] = POS_NONE;
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS))
            ends[event->object] = op_in(event->op, OPS_END) ? pos : POS_NONE;
    }
    return ends;
}

static void note(struct untimely_reads *reads, const struct history *history, uint32_t pos,
                 uint32_t end)
{
    const struct event *events = history->events;
    uint32_t thread = events[pos].thread, seen = history->reads_from[pos];
    if (seen != POS_NONE && events[seen].thread != thread && !(events[seen].flags & EVENT_FREES)) {
        struct untimely early = {pos, seen};
        array_push(reads, early);
    }
    if (end != POS_NONE && end > pos && events[end].thread != thread) {
        struct untimely late = {pos, end};
        array_push(reads, late);
    }
}

void untimely_find(struct untimely_reads *reads, const struct history *history)
{
    uint32_t *ends = find_ends(history);
    struct map own = {0}; /* (thread, variable) that it has written */
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (!op_in(event->op, OPS_ACCESS))
            continue;
        uint64_t key = map_pair(event->thread, event->object);
        if (event_writes(event))
            map_at(&own, key, NULL);
        else if (op_in(event->op, OPS_USE) && !map_find(&own, key))
            note(reads, history, pos, ends[event->object]);
    }
    map_free(&own);
    free(ends);
}

bool untimely_now(const struct history *history, const struct machine *machine,
                  const struct untimely *untimely)
{
    const struct event *reader = &history->events[untimely->read];
    const struct event *writer = &history->events[untimely->write];
    bool early = untimely_is_early(untimely);
    if (!op_in(reader->op, OPS_USE) || !op_in(writer->op, OPS_ACCESS) || !event_writes(writer) ||
        writer->object != reader->object || writer->thread == reader->thread ||
        (early && history->reads_from[untimely->read] != untimely->write))
        return false;
    /* Early: nothing was written. Late: the write was the last, and was executed. */
    for (uint32_t pos = early ? 0 : untimely->write + 1; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS) && event->object == reader->object &&
            (!early || (event_writes(event) && machine_executed(machine, pos))))
            return false;
    }
    return early || machine_executed(machine, untimely->write);
}
