#include "oracle/unordered_oracle.h"

#include "base/array.h"
#include "model/machine.h"
#include "model/order.h"

struct exploration {
    const struct history *history;
    struct map *pairs;
    uint64_t left;
    struct path ARRAY_OF(uint32_t) path;
    uint32_t *ticks; /* by pos */
};

/* All accesses of the path that `next` conflicts with and has not seen. */
static void note(struct exploration *self, const struct vclock *clock, uint32_t next)
{
    const struct event *events = self->history->events;
    for (size_t i = 0; i < self->path.count; i++) {
        uint32_t pos = self->path.items[i];
        struct epoch epoch = {events[pos].thread, self->ticks[pos]};
        if (op_in(events[pos].op, OPS_ACCESS) && event_conflict(&events[pos], &events[next]) &&
            !vclock_saw(clock, epoch))
            map_at(self->pairs, pos < next ? map_pair(pos, next) : map_pair(next, pos), NULL);
    }
}

static void note_all(struct exploration *self, const struct machine *machine)
{
    const struct history *history = self->history;
    struct order *order = order_create(ORDER_LOCKS | ORDER_SIGNALS | ORDER_READS | ORDER_C11);
    for (size_t i = 0; i < self->path.count; i++) {
        const struct event *event = &history->events[self->path.items[i]];
        self->ticks[self->path.items[i]] =
            vclock_get(order_clock(order, event->thread), event->thread);
        order_step(order, event);
    }
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t next = machine_next(machine, thread);
        if (next != POS_NONE && op_in(history->events[next].op, OPS_ACCESS) &&
            machine_forbids_sync(machine, next) == RULE_NONE)
            note(self, order_clock(order, thread), next);
    }
    order_destroy(order);
}

static bool explore(struct exploration *self, const struct machine *machine)
{
    if (!self->left--)
        return false;
    note_all(self, machine);
    for (uint32_t thread = 0; thread < self->history->threads; thread++) {
        uint32_t next = machine_next(machine, thread);
        if (next == POS_NONE || machine_forbids(machine, next) != RULE_NONE)
            continue;
        struct machine *following = machine_copy(machine);
        machine_execute(following, next);
        array_push(&self->path, next);
        bool all = explore(self, following);
        self->path.count--;
        machine_destroy(following);
        if (!all)
            return false;
    }
    return true;
}

bool unordered_explore(const struct history *history, uint64_t limit, struct map *pairs)
{
    struct exploration self = {.history = history, .pairs = pairs, .left = limit};
    struct rules *rules = rules_create(history, MODEL_RF);
    struct machine *machine = machine_create(rules);
    self.ticks = NEW_ARRAY(uint32_t, history->count);
    bool all = explore(&self, machine);
    machine_destroy(machine);
    rules_destroy(rules);
    array_free(&self.path);
    free(self.ticks);
    return all;
}
