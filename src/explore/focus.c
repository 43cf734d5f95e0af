/* SPDX-License-Identifier: MIT */
#include "explore/focus.h"

#include "base/memory.h"

#include <stdlib.h>

enum { LARGEST = 4, SETS = 20000 };

struct choosing {
    const struct knowledge *knowledge;
    struct focus_sets *sets;
    struct map seen; /* hashes of what the threads of a set begin with */
    uint32_t members[LARGEST];
};

static uint64_t beginning(const struct knowledge *knowledge, uint32_t thread)
{
    return knowledge->nodes.items[knowledge->threads.items[thread].root].pc;
}

/* Sets that begin alike are told apart by nothing. */
static bool is_new(struct choosing *self, uint32_t size)
{
    uint64_t hash = size;
    bool added;
    for (uint32_t i = 0; i < size; i++)
        hash += map_mix(beginning(self->knowledge, self->members[i]) + 1);
    map_at(&self->seen, hash >> 1, &added);
    return added;
}

static void add(struct choosing *self, uint32_t size)
{
    struct focus_set set = {.threads = NEW_ARRAY(bool, self->knowledge->threads.count)};
    for (uint32_t i = 0; i < size; i++)
        set.threads[self->members[i]] = true;
    array_push(self->sets, set);
}

static void choose(struct choosing *self, uint32_t size, uint32_t chosen, bool every)
{
    if (self->sets->count >= SETS)
        return;
    if (chosen == size) {
        if (every || is_new(self, size))
            add(self, size);
        return;
    }
    uint32_t first = chosen ? self->members[chosen - 1] + 1 : 0;
    uint64_t tried = 0; /* two threads in a row that begin alike: the first is enough */
    for (uint32_t i = first; i < self->knowledge->threads.count; i++) {
        uint64_t own = beginning(self->knowledge, i) + 1;
        if (!every && own == tried)
            continue;
        tried = own;
        self->members[chosen] = i;
        choose(self, size, chosen + 1, every);
    }
}

void focus_choose(struct focus_sets *sets, const struct knowledge *knowledge)
{
    struct choosing choosing = {.knowledge = knowledge, .sets = sets};
    for (uint32_t size = 2; size <= LARGEST && size <= knowledge->threads.count; size++)
        choose(&choosing, size, 0, false);
    choose(&choosing, 2, 0, true);
    map_free(&choosing.seen);
}

void focus_free(struct focus_sets *sets)
{
    for (size_t i = 0; i < sets->count; i++)
        free(sets->items[i].threads);
    array_free(sets);
}
