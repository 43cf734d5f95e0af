/* SPDX-License-Identifier: MIT */
#include "oracle/untimely_truth.h"

#include "base/map.h"
#include "model/machine.h"

#include <stdlib.h>
#include <xxhash.h>

struct exploring {
    const struct history *history;
    struct untimely_reads candidates;
    struct untimely_truth *truth;
    uint64_t limit;
    struct map seen; /* 64-bit hashes of states: traces are small, collisions unheard of */
    unsigned char *key;
    size_t room;
};

bool untimely_truth_has(const struct untimely_truth *truth, struct untimely read)
{
    for (size_t i = 0; i < truth->items.count; i++)
        if (truth->items.items[i].read == read.read && truth->items.items[i].write == read.write)
            return true;
    return false;
}

static bool was_written(const struct exploring *self, const struct machine *machine,
                        uint32_t variable)
{
    for (uint32_t pos = 0; pos < self->history->count; pos++) {
        const struct event *event = &self->history->events[pos];
        if (event_writes(event) && event->object == variable && machine_executed(machine, pos))
            return true;
    }
    return false;
}

static void note_next(struct exploring *self, const struct machine *machine, uint32_t pos)
{
    for (size_t i = 0; i < self->candidates.count; i++) {
        const struct untimely *read = &self->candidates.items[i];
        if (read->read != pos || untimely_truth_has(self->truth, *read))
            continue;
        if (untimely_is_early(read) ? !was_written(self, machine, self->history->events[pos].object)
                                    : machine_executed(machine, read->write))
            array_push(&self->truth->items, *read);
    }
}

static bool is_new(struct exploring *self, const struct machine *machine)
{
    bool added;
    size_t length = machine_key(machine, &self->key, &self->room);
    if (self->seen.count >= self->limit) {
        self->truth->complete = false;
        return false;
    }
    map_at(&self->seen, XXH3_64bits(self->key, length) >> 1, &added);
    return added;
}

static void explore(struct exploring *self, const struct machine *machine)
{
    if (!is_new(self, machine))
        return;
    for (uint32_t thread = 0; thread < self->history->threads; thread++) {
        uint32_t pos = machine_next(machine, thread);
        if (pos == POS_NONE || machine_forbids_sync(machine, pos) == RULE_FORK)
            continue;
        note_next(self, machine, pos);
        if (machine_forbids(machine, pos) != RULE_NONE)
            continue;
        struct machine *following = machine_copy(machine);
        machine_execute(following, pos);
        explore(self, following);
        machine_destroy(following);
    }
}

void untimely_truth_explore(struct untimely_truth *truth, const struct history *history,
                            enum model model, uint64_t state_limit)
{
    *truth = (struct untimely_truth){.complete = true};
    struct exploring self = {
        .history = history, .truth = truth, .limit = state_limit ? state_limit : UINT64_MAX};
    untimely_find(&self.candidates, history);
    if (self.candidates.count) {
        struct rules *rules = rules_create(history, model);
        struct machine *machine = machine_create(rules);
        explore(&self, machine);
        machine_destroy(machine);
        rules_destroy(rules);
    }
    array_free(&self.candidates);
    free(self.key);
    map_free(&self.seen);
}

void untimely_truth_free(struct untimely_truth *truth)
{
    array_free(&truth->items);
}
