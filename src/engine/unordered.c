#include "engine/unordered.h"

#include "engine/clock_races.h"

/* Only atomics that are weaker than their reads-from make a difference. */
static bool has_weak_atomics(const struct history *history)
{
    for (uint32_t pos = 0; pos < history->count; pos++)
        if (op_in(history->events[pos].op, OPS_ATOMIC) &&
            history->events[pos].order != ORDER_SEQ_CST &&
            history->events[pos].order != ORDER_ACQ_REL)
            return true;
    return false;
}

/* All races of the observed order, without witnesses. */
static struct findings *races_of(const struct engine_run *run)
{
    const struct history *history = run->history;
    struct engine_run part = {.engine = run->engine,
                              .options = run->options,
                              .trace = run->trace,
                              .history = history,
                              .findings = findings_create(run->options->every_pair)};
    struct order *order = order_create(ORDER_LOCKS | ORDER_SIGNALS | ORDER_READS | ORDER_C11);
    struct clock_races *races = clock_races_create(&part, NULL);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        if (op_in(event->op, OPS_ACCESS)) {
            const struct vclock *clock = order_clock(order, event->thread);
            clock_races_check(races, event, pos, history->index[pos], clock, clock);
        }
        order_step(order, event);
    }
    clock_races_destroy(races);
    order_destroy(order);
    return part.findings;
}

void unordered_find(struct engine_run *run, enum model model)
{
    if (!has_weak_atomics(run->history))
        return;
    struct findings *races = races_of(run);
    uint32_t *observed = memory_alloc(run->history->count, sizeof *observed);
    for (uint32_t pos = 0; pos < run->history->count; pos++)
        observed[pos] = pos;
    for (size_t i = 0; i < races->count; i++) {
        struct finding race = races->items[i];
        race.model = model;
        race.witness = observed;
        race.witness_length = race.events[1].pos + 1;
        race.note = "relaxed atomics let the one see the other, but order nothing else";
        if (findings_is_new(run->findings, &race)) {
            findings_add(run->findings, &race);
            run->candidates++;
        }
    }
    free(observed);
    findings_destroy(races);
}
