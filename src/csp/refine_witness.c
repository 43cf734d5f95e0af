/* SPDX-License-Identifier: MIT */
#include "csp/refine.h"

/* Steps are not all events: before a step come the accesses and local events of
 * its thread that were left out of the model, and a join comes after all events
 * of the joined thread. */
struct expansion {
    const struct refiner *refiner;
    const struct history *history;
    uint32_t *next; /* by process: index of the thread's next event */
    struct positions ARRAY_OF(uint32_t) witness;
};

static uint32_t process_of(const struct expansion *expansion, uint32_t pos)
{
    return processes_of_thread(expansion->refiner->processes,
                               expansion->history->events[pos].thread);
}

/* The thread's events up to, not including, `index`. */
static void catch_up(struct expansion *expansion, uint32_t process, uint32_t index)
{
    uint32_t thread = expansion->refiner->processes->items[process].thread;
    while (expansion->next[process] < index)
        array_push(&expansion->witness,
                   history_pos(expansion->history, thread, expansion->next[process]++));
}

static void take(struct expansion *expansion, uint32_t pos)
{
    const struct history *history = expansion->history;
    const struct event *event = &history->events[pos];
    if (event->op == EVENT_JOIN) {
        uint32_t joined = processes_of_thread(expansion->refiner->processes, event->object);
        if (joined != NO_PROCESS)
            catch_up(expansion, joined, history_thread_length(history, event->object));
    }
    catch_up(expansion, process_of(expansion, pos), history->index[pos] + 1);
}

uint32_t *refiner_witness(const struct refiner *refiner, const uint32_t *targets, uint32_t count,
                          uint32_t *length)
{
    const struct processes *processes = refiner->processes;
    struct expansion expansion = {.refiner = refiner, .history = processes->rules->history};
    expansion.next = NEW_ARRAY(uint32_t, processes->count);
    for (uint32_t pos = 0; pos < processes->from; pos++)
        array_push(&expansion.witness, pos);
    for (uint32_t p = 0; p < processes->count; p++)
        expansion.next[p] = processes->items[p].begin;
    for (size_t i = 0; i < refiner->path.count; i++)
        take(&expansion, refiner->path.items[i]);
    for (uint32_t i = 0; i < count; i++)
        catch_up(&expansion, process_of(&expansion, targets[i]),
                 expansion.history->index[targets[i]]);
    for (uint32_t i = 0; i < count; i++)
        array_push(&expansion.witness, targets[i]);
    free(expansion.next);
    *length = (uint32_t)expansion.witness.count;
    return expansion.witness.items;
}
