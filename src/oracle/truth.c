/* SPDX-License-Identifier: MIT */
#include "oracle/truth.h"

#include <string.h>

void truth_init(struct truth *truth, enum model model, uint32_t events)
{
    *truth = (struct truth){.model = model, .complete = true, .count = events};
    truth->raced = memory_zero((size_t)events * events, 1);
}

void truth_free(struct truth *truth)
{
    for (size_t i = 0; i < truth->races.count; i++)
        free(truth->races.items[i].witness);
    for (size_t i = 0; i < truth->deadlocks.count; i++) {
        free(truth->deadlocks.items[i].events);
        free(truth->deadlocks.items[i].witness);
    }
    array_free(&truth->races);
    array_free(&truth->deadlocks);
    free(truth->raced);
    *truth = (struct truth){0};
}

bool truth_races(const struct truth *truth, uint32_t a, uint32_t b)
{
    uint32_t low = a < b ? a : b, high = a < b ? b : a;
    return high < truth->count && truth->raced[low * truth->count + high];
}

static bool is_subset(const uint32_t *some, uint32_t some_count, const uint32_t *all,
                      uint32_t all_count)
{
    for (uint32_t i = 0; i < some_count; i++) {
        uint32_t at = 0;
        while (at < all_count && all[at] != some[i])
            at++;
        if (at == all_count)
            return false;
    }
    return true;
}

const struct true_deadlock *truth_deadlock(const struct truth *truth, const uint32_t *events,
                                           uint32_t count)
{
    for (size_t i = 0; i < truth->deadlocks.count; i++) {
        const struct true_deadlock *known = &truth->deadlocks.items[i];
        if (known->count == count && is_subset(events, count, known->events, count) &&
            is_subset(known->events, count, events, count))
            return known;
    }
    return NULL;
}

bool truth_equal(const struct truth *a, const struct truth *b)
{
    bool equal = a->races.count == b->races.count && a->deadlocks.count == b->deadlocks.count;
    for (size_t i = 0; equal && i < a->races.count; i++)
        equal = truth_races(b, a->races.items[i].events[0], a->races.items[i].events[1]);
    for (size_t i = 0; equal && i < a->deadlocks.count; i++)
        equal = truth_deadlock(b, a->deadlocks.items[i].events, a->deadlocks.items[i].count);
    return equal;
}

static uint32_t *witness_of(const uint32_t *path, uint32_t length, const uint32_t *events,
                            uint32_t count)
{
    if (!path)
        return NULL;
    uint32_t *witness = memory_alloc(length + count, sizeof *witness);
    memcpy(witness, path, length * sizeof *path);
    memcpy(witness + length, events, count * sizeof *events);
    return witness;
}

void truth_add_race(struct truth *truth, uint32_t a, uint32_t b, const uint32_t *path,
                    uint32_t length)
{
    if (truth_races(truth, a, b))
        return;
    struct true_race race = {.events = {a < b ? a : b, a < b ? b : a}};
    truth->raced[race.events[0] * truth->count + race.events[1]] = 1;
    race.witness = witness_of(path, length, race.events, 2);
    race.witness_length = path ? length + 2 : 0;
    array_push(&truth->races, race);
}

void truth_add_deadlock(struct truth *truth, const uint32_t *events, uint32_t count,
                        const uint32_t *path, uint32_t length)
{
    if (truth_deadlock(truth, events, count))
        return;
    struct true_deadlock deadlock = {
        .count = count,
        .events = memory_copy(events, count * sizeof *events),
        .witness = witness_of(path, length, events, count),
        .witness_length = path ? length + count : 0,
    };
    array_push(&truth->deadlocks, deadlock);
}

struct stuck_search {
    const struct standing *standing;
    unsigned set;
    uint32_t cycle[16], length; /* threads */
};

static bool is_stuck(const struct standing *one, unsigned set)
{
    return one->all ? !(one->others & ~set) : one->others & set;
}

static bool are_stuck(const struct standing *standing, unsigned set)
{
    for (unsigned left = set; left; left &= left - 1)
        if (!is_stuck(&standing[__builtin_ctz(left)], set))
            return false;
    return true;
}

/* Each is stuck if all are, and no part of them is by itself. */
static bool is_deadlock(const struct standing *standing, unsigned set)
{
    if (!are_stuck(standing, set))
        return false;
    for (unsigned part = (set - 1) & set; part; part = (part - 1) & set)
        if (are_stuck(standing, part))
            return false;
    return true;
}

/* Completes the chain of threads, each waiting for the next, to a cycle of all of them. */
static bool find_cycle(struct stuck_search *search, unsigned unused)
{
    const struct standing *last = &search->standing[search->cycle[search->length - 1]];
    if (!unused)
        return search->length > 1 && last->others >> search->cycle[0] & 1;
    for (unsigned left = last->others & unused; left; left &= left - 1) {
        uint32_t next = (uint32_t)__builtin_ctz(left);
        search->cycle[search->length++] = next;
        if (find_cycle(search, unused & ~(1u << next)))
            return true;
        search->length--;
    }
    return false;
}

/* In the order of the cycle, if they are one: of locks, they always are. */
static void add_set(struct truth *truth, const struct standing *standing, unsigned set,
                    const uint32_t *path, uint32_t length)
{
    struct stuck_search search = {.standing = standing, .set = set};
    uint32_t events[16], count = 0;
    search.cycle[search.length++] = (uint32_t)__builtin_ctz(set);
    if (find_cycle(&search, set & (set - 1)))
        for (; count < search.length; count++)
            events[count] = standing[search.cycle[count]].event;
    else
        for (unsigned left = set; left; left &= left - 1)
            events[count++] = standing[__builtin_ctz(left)].event;
    truth_add_deadlock(truth, events, count, path, length);
}

void truth_add_stuck(struct truth *truth, uint32_t threads, const struct standing *standing,
                     const uint32_t *path, uint32_t length)
{
    unsigned stuck = 0, before;
    for (uint32_t thread = 0; thread < threads; thread++)
        stuck |= standing[thread].waits ? 1u << thread : 0;
    do { /* the largest set whose threads are stuck if all of them are */
        before = stuck;
        for (unsigned left = stuck; left; left &= left - 1)
            if (!is_stuck(&standing[__builtin_ctz(left)], stuck))
                stuck &= ~(left & -left);
    } while (stuck != before);
    for (unsigned set = stuck; set; set = (set - 1) & stuck)
        if (is_deadlock(standing, set))
            add_set(truth, standing, set, path, length);
}

static int compare_races(const void *a, const void *b)
{
    const struct true_race *x = a, *y = b;
    if (x->events[1] != y->events[1])
        return x->events[1] < y->events[1] ? -1 : 1;
    return (x->events[0] > y->events[0]) - (x->events[0] < y->events[0]);
}

static int compare_deadlocks(const void *a, const void *b)
{
    const struct true_deadlock *x = a, *y = b;
    if (x->count != y->count)
        return x->count < y->count ? -1 : 1;
    for (uint32_t i = 0; i < x->count; i++)
        if (x->events[i] != y->events[i])
            return x->events[i] < y->events[i] ? -1 : 1;
    return 0;
}

void truth_finish(struct truth *truth)
{
    if (truth->races.count)
        qsort(truth->races.items, truth->races.count, sizeof *truth->races.items, compare_races);
    if (truth->deadlocks.count)
        qsort(truth->deadlocks.items, truth->deadlocks.count, sizeof *truth->deadlocks.items,
              compare_deadlocks);
}
