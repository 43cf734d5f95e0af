/* SPDX-License-Identifier: MIT */
#include "tiddle/sample.h"

#include "base/array.h"
#include "base/map.h"
#include "base/random.h"
#include "tiddle/bignum.h"
#include "tiddle/dependence.h"

#include <math.h>

#define COUNTED_EVENTS 4096                /* finding what depends takes their square */
#define PREFIX_LIMIT   ((size_t)1 << 21)   /* prefixes that are counted */
#define COUNT_BYTES    ((size_t)512 << 20) /* for their numbers */

struct prefixes ARRAY_OF(uint64_t);

struct sampler {
    const struct history *history;
    struct random random;
    uint32_t *order;
    uint32_t threads;
    uint32_t *needs;          /* by (pos, thread): how far the thread must be before */
    uint64_t *unit;           /* by thread: what one step adds to a prefix's key */
    struct prefixes prefixes; /* keys, shorter prefixes first; empty: not countable */
    struct map index;         /* key -> place in `prefixes` */
    size_t limbs;
    uint64_t *ways; /* by prefix: how many ways there are to finish */
};

/* The latest event of each thread that `pos` depends on. */
static void find_needs(struct sampler *self)
{
    const struct history *history = self->history;
    self->needs = NEW_ARRAY(uint32_t, (size_t)history->count * self->threads);
    for (uint32_t pos = 0; pos < history->count; pos++) {
        uint32_t *needs = self->needs + (size_t)pos * self->threads;
        for (uint32_t before = 0; before < pos; before++) {
            const struct event *event = &history->events[before];
            if (events_depend(event, &history->events[pos]))
                needs[event->thread] = history->index[before] + 1;
        }
    }
}

static uint32_t reached(const struct sampler *self, uint64_t key, uint32_t thread)
{
    uint32_t length = history_thread_length(self->history, thread);
    return (uint32_t)(key / self->unit[thread] % (length + 1));
}

/* The thread's next event if it may come now, POS_NONE otherwise. */
static uint32_t enabled(const struct sampler *self, uint64_t key, uint32_t thread)
{
    uint32_t at = reached(self, key, thread);
    if (at == history_thread_length(self->history, thread))
        return POS_NONE;
    uint32_t pos = history_pos(self->history, thread, at);
    const uint32_t *needs = self->needs + (size_t)pos * self->threads;
    for (uint32_t other = 0; other < self->threads; other++)
        if (needs[other] && reached(self, key, other) < needs[other])
            return POS_NONE;
    return pos;
}

/* Keys are numbers in mixed radix; false if they do not fit. */
static bool choose_units(struct sampler *self)
{
    uint64_t unit = 1;
    self->unit = NEW_ARRAY(uint64_t, self->threads);
    for (uint32_t thread = 0; thread < self->threads; thread++) {
        self->unit[thread] = unit;
        uint64_t radix = (uint64_t)history_thread_length(self->history, thread) + 1;
        if (__builtin_mul_overflow(unit, radix, &unit) || unit > UINT64_MAX / 2)
            return false;
    }
    return true;
}

static bool find_prefixes(struct sampler *self)
{
    array_push(&self->prefixes, 0);
    for (size_t i = 0; i < self->prefixes.count; i++) {
        uint64_t key = self->prefixes.items[i];
        for (uint32_t thread = 0; thread < self->threads; thread++) {
            bool added;
            if (enabled(self, key, thread) == POS_NONE)
                continue;
            uint64_t *place = map_at(&self->index, key + self->unit[thread], &added);
            if (!added)
                continue;
            *place = self->prefixes.count;
            array_push(&self->prefixes, key + self->unit[thread]);
            if (self->prefixes.count > PREFIX_LIMIT ||
                self->prefixes.count * self->limbs * sizeof(uint64_t) > COUNT_BYTES)
                return false;
        }
    }
    return true;
}

/* There are no more than n! / (product of the threads' lengths!) orders. */
static size_t limbs_needed(const struct history *history)
{
    double bits = lgamma((double)history->count + 1);
    for (uint32_t thread = 0; thread < history->threads; thread++)
        bits -= lgamma((double)history_thread_length(history, thread) + 1);
    return (size_t)(bits / log(2) / 64) + 2;
}

static uint64_t *ways_from(const struct sampler *self, uint64_t key)
{
    return self->ways + *map_find(&self->index, key) * self->limbs;
}

static void count_ways(struct sampler *self)
{
    self->ways = NEW_ARRAY(uint64_t, self->prefixes.count * self->limbs);
    self->ways[(self->prefixes.count - 1) * self->limbs] = 1; /* the whole trace */
    for (size_t i = self->prefixes.count - 1; i-- > 0;)
        for (uint32_t thread = 0; thread < self->threads; thread++)
            if (enabled(self, self->prefixes.items[i], thread) != POS_NONE)
                bignum_add(self->ways + i * self->limbs,
                           ways_from(self, self->prefixes.items[i] + self->unit[thread]),
                           self->limbs);
}

struct sampler *sampler_create(const struct history *history, uint64_t seed)
{
    struct sampler *self = NEW(struct sampler);
    self->history = history;
    self->random.state = seed;
    self->threads = history->threads;
    self->order = NEW_ARRAY(uint32_t, history->count + 1);
    for (uint32_t pos = 0; pos < history->count; pos++)
        self->order[pos] = pos;
    self->limbs = limbs_needed(history);
    if (history->count <= COUNTED_EVENTS && choose_units(self)) {
        find_needs(self);
        if (find_prefixes(self))
            count_ways(self);
    }
    return self;
}

void sampler_destroy(struct sampler *self)
{
    free(self->order);
    free(self->needs);
    free(self->unit);
    array_free(&self->prefixes);
    map_free(&self->index);
    free(self->ways);
    free(self);
}

static void draw_exactly(struct sampler *self)
{
    uint64_t key = 0;
    uint64_t *ticket = memory_alloc(self->limbs, sizeof *ticket);
    bignum_random_below(ticket, self->ways, self->limbs, &self->random);
    for (uint32_t place = 0; place < self->history->count; place++) {
        for (uint32_t thread = 0; thread < self->threads; thread++) {
            uint32_t pos = enabled(self, key, thread);
            if (pos == POS_NONE)
                continue;
            const uint64_t *ways = ways_from(self, key + self->unit[thread]);
            if (bignum_less(ticket, ways, self->limbs)) {
                self->order[place] = pos;
                key += self->unit[thread];
                break;
            }
            bignum_subtract(ticket, ways, self->limbs);
        }
    }
    free(ticket);
}

static void draw_by_chain(struct sampler *self)
{
    uint32_t count = self->history->count;
    double mixed = pow((double)count, 3) * log((double)count + 1);
    uint64_t steps = mixed < (double)SAMPLE_STEPS ? (uint64_t)mixed : SAMPLE_STEPS;
    for (uint64_t step = 0; count > 1 && step < steps; step++) {
        uint32_t place = random_below(&self->random, count - 1);
        uint32_t left = self->order[place], right = self->order[place + 1];
        if (random_next(&self->random) & 1 &&
            !events_depend(&self->history->events[left], &self->history->events[right])) {
            self->order[place] = right;
            self->order[place + 1] = left;
        }
    }
}

const uint32_t *sampler_next(struct sampler *self)
{
    if (self->ways)
        draw_exactly(self);
    else
        draw_by_chain(self);
    return self->order;
}

char *sampler_count(const struct sampler *self)
{
    return self->ways ? bignum_text(self->ways, self->limbs) : NULL;
}
