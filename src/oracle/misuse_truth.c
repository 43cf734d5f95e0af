/* SPDX-License-Identifier: MIT */
#include "oracle/misuse_truth.h"

#include "base/map.h"

#include <xxhash.h>

struct exploring {
    const struct misuse_index *index;
    struct misuse_truth *truth;
    uint64_t limit;
    struct map seen; /* 64-bit hashes of states: traces are small, collisions unheard of */
    unsigned char *key;
    size_t room;
};

bool misuse_truth_has(const struct misuse_truth *truth, enum misuse rule, const uint32_t events[2])
{
    for (size_t i = 0; i < truth->items.count; i++)
        if (truth->items.items[i].rule == rule && truth->items.items[i].events[0] == events[0] &&
            truth->items.items[i].events[1] == events[1])
            return true;
    return false;
}

/* Is the thread's next event a misuse? All reasons for it are noted. */
static bool note_misuse(struct exploring *self, const struct machine *machine, uint32_t pos)
{
    bool any = false;
    for (uint32_t partner = 0; partner < self->index->history->count; partner++) {
        enum misuse rule = misuse_between(self->index, machine, partner, pos);
        if (rule == MISUSE_NONE)
            continue;
        struct true_misuse misuse = {rule, {partner, pos}};
        if (!misuse_truth_has(self->truth, rule, misuse.events))
            array_push(&self->truth->items, misuse);
        any = true;
    }
    return any;
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
    for (uint32_t thread = 0; thread < self->index->history->threads; thread++) {
        uint32_t pos = machine_next(machine, thread);
        if (pos == POS_NONE || machine_forbids_sync(machine, pos) == RULE_FORK ||
            note_misuse(self, machine, pos) || machine_forbids(machine, pos) != RULE_NONE)
            continue;
        struct machine *following = machine_copy(machine);
        machine_execute(following, pos);
        explore(self, following);
        machine_destroy(following);
    }
}

void misuse_truth_explore(struct misuse_truth *truth, const struct history *history,
                          enum model model, uint64_t state_limit)
{
    *truth = (struct misuse_truth){.complete = true};
    struct misuse_index *index = misuse_index_create(history);
    struct exploring self = {
        .index = index, .truth = truth, .limit = state_limit ? state_limit : UINT64_MAX};
    if (index->any) {
        struct rules *rules = rules_create(history, model);
        struct machine *machine = machine_create(rules);
        explore(&self, machine);
        machine_destroy(machine);
        rules_destroy(rules);
    }
    free(self.key);
    map_free(&self.seen);
    misuse_index_destroy(index);
}

void misuse_truth_free(struct misuse_truth *truth)
{
    array_free(&truth->items);
}
