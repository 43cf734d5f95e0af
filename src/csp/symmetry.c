/* SPDX-License-Identifier: MIT */
#include "csp/symmetry.h"

#include <assert.h>

/* Processes that are alike, and where the state keeps what is theirs: `width` words each. */
struct group {
    uint32_t first, count; /* in members */
    uint32_t width;
};

struct symmetry {
    const struct processes *processes;
    const struct product *product;
    uint32_t *shape;              /* by process: the first one with the same steps */
    uint32_t *joiner, *join_step; /* by process: who joins it, or NO_PROCESS */
    bool *nameless;               /* by process: its steps name no thread and no value */
    bool *taken;                  /* by process: in a group already */
    struct group_list ARRAY_OF(struct group) groups;
    struct member_list ARRAY_OF(uint32_t) members; /* processes */
    struct place_list ARRAY_OF(uint32_t) places;   /* words, member by member */
};

static bool same_step(const struct step *a, const struct step *b)
{
    return a->op == b->op && a->flags == b->flags && a->object == b->object && a->lock == b->lock;
}

static bool same_steps(const struct process *a, const struct process *b)
{
    if (a->length != b->length)
        return false;
    for (uint32_t i = 0; i < a->length; i++)
        if (!same_step(&a->steps[i], &b->steps[i]))
            return false;
    return true;
}

static uint64_t hash_of(const struct process *process)
{
    uint64_t hash = process->length;
    for (uint32_t i = 0; i < process->length; i++) {
        const struct step *step = &process->steps[i];
        hash = map_mix(hash * 31 + map_pair(step->object, step->lock) + step->op);
    }
    return hash >> 1;
}

static bool is_nameless(const struct processes *processes, const struct process *process)
{
    for (uint32_t i = 0; i < process->length; i++) {
        const struct step *step = &process->steps[i];
        if (step->op == EVENT_FORK || step->op == EVENT_JOIN ||
            (step->object != NO_OBJECT &&
             processes->objects.items[step->object].class == CLASS_VARIABLE))
            return false;
    }
    return true;
}

static void find_shapes(struct symmetry *symmetry)
{
    const struct processes *processes = symmetry->processes;
    struct map first = {0}; /* hash -> process + 1 */
    for (uint32_t p = 0; p < processes->count; p++) {
        const struct process *process = &processes->items[p];
        symmetry->joiner[p] = NO_PROCESS;
        symmetry->nameless[p] = is_nameless(processes, process);
        for (uint64_t hash = hash_of(process);; hash++) {
            uint64_t *place = map_at(&first, hash, NULL);
            if (!*place)
                *place = p + 1;
            symmetry->shape[p] = (uint32_t)*place - 1;
            if (same_steps(&processes->items[symmetry->shape[p]], process))
                break;
        }
    }
    map_free(&first);
}

struct symmetry *symmetry_create(const struct processes *processes)
{
    struct symmetry *symmetry = NEW(struct symmetry);
    symmetry->processes = processes;
    symmetry->shape = NEW_ARRAY(uint32_t, processes->count);
    symmetry->joiner = NEW_ARRAY(uint32_t, processes->count);
    symmetry->join_step = NEW_ARRAY(uint32_t, processes->count);
    symmetry->nameless = NEW_ARRAY(bool, processes->count);
    symmetry->taken = NEW_ARRAY(bool, processes->count);
    find_shapes(symmetry);
    for (uint32_t p = 0; p < processes->count; p++)
        for (uint32_t at = 0; at < processes->items[p].length; at++) {
            const struct step *step = &processes->items[p].steps[at];
            if (step->op != EVENT_JOIN || step->other == NO_PROCESS)
                continue;
            if (symmetry->joiner[step->other] != NO_PROCESS)
                symmetry->nameless[step->other] = false; /* joined twice: rare enough */
            symmetry->joiner[step->other] = p;
            symmetry->join_step[step->other] = at;
        }
    return symmetry;
}

void symmetry_destroy(struct symmetry *symmetry)
{
    if (!symmetry)
        return;
    free(symmetry->shape);
    free(symmetry->joiner);
    free(symmetry->join_step);
    free(symmetry->nameless);
    free(symmetry->taken);
    array_free(&symmetry->groups);
    array_free(&symmetry->members);
    array_free(&symmetry->places);
    free(symmetry);
}

static bool may_move(const struct symmetry *symmetry, uint32_t p)
{
    const struct slice *slice = symmetry->product->slice;
    uint32_t joiner = symmetry->joiner[p];
    return symmetry->nameless[p] && !symmetry->taken[p] &&
           (joiner == NO_PROCESS || slice->limit[joiner] <= symmetry->join_step[p]);
}

/* Where the state has what is about the process: how far it went, and its place at each
 * condition, in the order of the conditions. */
static uint32_t add_places(struct symmetry *symmetry, uint32_t p)
{
    const struct product *product = symmetry->product;
    size_t before = symmetry->places.count;
    array_push(&symmetry->places, product->slot_of[p]);
    for (uint32_t object = 0; object < symmetry->processes->objects.count; object++) {
        if (product->offset_of[object] == UINT32_MAX ||
            symmetry->processes->objects.items[object].class != CLASS_CONDITION)
            continue;
        const uint32_t *waiters = &product->waiters.items[product->waiters_of[object]];
        for (uint32_t i = 0; i < product->waiter_count[object]; i++)
            if (waiters[i] == p)
                array_push(&symmetry->places, product->offset_of[object] + 1 + i);
    }
    return (uint32_t)(symmetry->places.count - before);
}

/* All that are like `p`, which may move. */
static void make_group(struct symmetry *symmetry, uint32_t p)
{
    const struct product *product = symmetry->product;
    const struct slice *slice = product->slice;
    struct group group = {.first = (uint32_t)symmetry->members.count};
    size_t places = symmetry->places.count;
    for (uint32_t slot = product->slot_of[p]; slot < product->slot_count; slot++) {
        uint32_t other = product->slots[slot];
        if (symmetry->shape[other] != symmetry->shape[p] || !may_move(symmetry, other) ||
            slice->limit[other] != slice->limit[p] || slice->must[other] != slice->must[p])
            continue;
        uint32_t width = add_places(symmetry, other);
        assert(!group.count || width == group.width); /* the same steps, the same conditions */
        group.width = width;
        symmetry->taken[other] = true;
        array_push(&symmetry->members, other);
        group.count++;
    }
    if (group.count > 1) {
        array_push(&symmetry->groups, group);
    } else {
        symmetry->members.count = group.first;
        symmetry->places.count = places;
    }
}

void symmetry_begin(struct symmetry *symmetry, const struct product *product)
{
    symmetry->product = product;
    symmetry->groups.count = symmetry->members.count = symmetry->places.count = 0;
    memset(symmetry->taken, 0, symmetry->processes->count * sizeof *symmetry->taken);
    for (uint32_t slot = 0; slot < product->slot_count; slot++)
        if (may_move(symmetry, product->slots[slot]))
            make_group(symmetry, product->slots[slot]);
}

static int compare(const uint32_t *words, const uint32_t *a, const uint32_t *b, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++)
        if (words[a[i]] != words[b[i]])
            return words[a[i]] < words[b[i]] ? -1 : 1;
    return 0;
}

static void swap(uint32_t *words, const uint32_t *a, const uint32_t *b, uint32_t width)
{
    for (uint32_t i = 0; i < width; i++) {
        uint32_t kept = words[a[i]];
        words[a[i]] = words[b[i]];
        words[b[i]] = kept;
    }
}

/* By selection: groups are small, and most states are nearly sorted. */
static void sort_group(const struct symmetry *symmetry, const struct group *group,
                       const uint32_t *places, uint32_t *words, uint32_t *names)
{
    const uint32_t *members = &symmetry->members.items[group->first];
    for (uint32_t i = 0; i < group->count; i++) {
        uint32_t least = i; /* as one that has not been forked is anyway */
        for (uint32_t k = i + 1; k < group->count; k++)
            if (product_forked(symmetry->product, members[k]) &&
                compare(words, &places[k * group->width], &places[least * group->width],
                        group->width) < 0)
                least = k;
        if (least == i)
            continue;
        swap(words, &places[i * group->width], &places[least * group->width], group->width);
        if (names) {
            uint32_t kept = names[members[i]];
            names[members[i]] = names[members[least]];
            names[members[least]] = kept;
        }
    }
}

void symmetry_sort(struct symmetry *symmetry, uint32_t *words, uint32_t *names)
{
    const struct product *product = symmetry->product;
    const uint32_t *places = symmetry->places.items;
    memcpy(words, product->state, product->words * sizeof *words);
    for (size_t i = 0; i < symmetry->groups.count; i++) {
        const struct group *group = &symmetry->groups.items[i];
        sort_group(symmetry, group, places, words, names);
        places += (size_t)group->count * group->width;
    }
}
