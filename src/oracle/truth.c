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

void truth_add_deadlock(struct truth *truth, const uint32_t *cycle, uint32_t count,
                        const uint32_t *path, uint32_t length)
{
    if (truth_deadlock(truth, cycle, count))
        return;
    struct true_deadlock deadlock = {.count = count};
    deadlock.events = memory_copy(cycle, count * sizeof *cycle);
    deadlock.witness = witness_of(path, length, cycle, count);
    deadlock.witness_length = path ? length + count : 0;
    array_push(&truth->deadlocks, deadlock);
}

struct cycle_search {
    struct truth *truth;
    const uint32_t *blocked;
    const uint16_t *blockers;
    const uint32_t *path;
    uint32_t length, start;
    uint32_t cycle[16];
};

/* Extends a chain of waiting threads that ends in `thread`; the chain's first
 * is its smallest, so that each cycle is met once. */
static void extend(struct cycle_search *search, uint32_t thread, uint32_t depth, unsigned unused)
{
    search->cycle[depth++] = search->blocked[thread];
    if (depth > 1 && search->blockers[thread] >> search->start & 1)
        truth_add_deadlock(search->truth, search->cycle, depth, search->path, search->length);
    for (unsigned left = search->blockers[thread] & unused; left; left &= left - 1) {
        uint32_t next = (uint32_t)__builtin_ctz(left);
        extend(search, next, depth, unused & ~(1u << next));
    }
}

void truth_add_cycles(struct truth *truth, uint32_t threads, const uint32_t *blocked,
                      const uint16_t *blockers, const uint32_t *path, uint32_t length)
{
    unsigned waiting = 0;
    for (uint32_t thread = 0; thread < threads; thread++)
        waiting |= blockers[thread] ? 1u << thread : 0;
    for (unsigned left = waiting; left & (left - 1); left &= left - 1) {
        struct cycle_search search = {
            .truth = truth,
            .blocked = blocked,
            .blockers = blockers,
            .path = path,
            .length = length,
            .start = (uint32_t)__builtin_ctz(left),
        };
        extend(&search, search.start, 0, left & (left - 1));
    }
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
    for (size_t i = 0; i < truth->deadlocks.count; i++) {
        struct true_deadlock *one = &truth->deadlocks.items[i];
        one->minimal = true;
        for (size_t j = 0; j < truth->deadlocks.count; j++) {
            const struct true_deadlock *other = &truth->deadlocks.items[j];
            if (other->count < one->count &&
                is_subset(other->events, other->count, one->events, one->count))
                one->minimal = false;
        }
    }
    if (truth->races.count)
        qsort(truth->races.items, truth->races.count, sizeof *truth->races.items, compare_races);
    if (truth->deadlocks.count)
        qsort(truth->deadlocks.items, truth->deadlocks.count, sizeof *truth->deadlocks.items,
              compare_deadlocks);
}
