/* SPDX-License-Identifier: MIT */
#include "search/suspects.h"

#include "base/sorted.h"
#include "base/array.h"
#include "search/clocks.h"
#include "search/exposed.h"

/* Accesses of one variable that are alike: thread, location, kind, locks. */
struct class
{
    uint32_t start, count; /* in members */
    uint32_t sample;       /* one of them */
    uint64_t locks;        /* held, as a set of hashes: those without a common bit have none */
};

struct instance {
    uint64_t places; /* the two locations */
    uint32_t distance;
    struct suspect_pair pair;
};

struct finder {
    const struct search_index *index, *also;
    bool every_pair;
    uint32_t window;
    struct exposed exposed;
    struct map numbers; /* of classes of one variable */
    struct classes ARRAY_OF(struct class) classes;
    struct members ARRAY_OF(uint32_t) members, class_of;
    struct map tried;         /* pair of locations -> instances, and PARTIAL */
    const struct map *closed; /* second round: pairs of locations that are decided; else NULL */
    uint64_t most;            /* instances of a pair of locations that are taken */
    struct instances ARRAY_OF(struct instance) instances;
};

/* Not all instances were taken. */
#define PARTIAL (UINT64_C(1) << 63)

/* Classes of one variable that a class is compared with: those of the nearest
 * numbers. Only a variable with more kinds of accesses than this feels it. */
#define CLASSES_NEAR 512

/* All of them are looked at. */
static uint32_t held_at(const struct search_index *index, uint32_t pos)
{
    return index_with(index, INDEX_HELD)->held[pos];
}

/* Locks held, whatever their order. */
static uint64_t locks_hash(const struct search_index *index, uint32_t pos)
{
    uint64_t hash = 0;
    for (uint32_t node = held_at(index, pos); node != HELD_NONE; node = index->nodes[node].next) {
        const struct event *acquire = event_at(index, index->nodes[node].acquire);
        hash += map_mix(map_pair(event_lock(acquire) + 1, acquire->op == EVENT_ACQUIRE_READ));
    }
    return hash;
}

static uint64_t locks_bits(const struct search_index *index, uint32_t pos)
{
    uint64_t bits = 0;
    for (uint32_t node = held_at(index, pos); node != HELD_NONE; node = index->nodes[node].next) {
        uint32_t lock = event_lock(event_at(index, index->nodes[node].acquire));
        bits |= UINT64_C(1) << (map_mix(lock) & 63);
    }
    return bits;
}

static bool holds_common_lock(const struct search_index *index, uint32_t a, uint32_t b)
{
    for (uint32_t i = held_at(index, a); i != HELD_NONE; i = index->nodes[i].next) {
        const struct event *mine = event_at(index, index->nodes[i].acquire);
        for (uint32_t j = held_at(index, b); j != HELD_NONE; j = index->nodes[j].next) {
            const struct event *theirs = event_at(index, index->nodes[j].acquire);
            if (event_lock(mine) == event_lock(theirs) && sections_exclude(mine, theirs))
                return true;
        }
    }
    return false;
}

static uint32_t class_number(struct finder *finder, uint32_t pos)
{
    const struct event *event = event_at(finder->index, pos);
    uint64_t key = map_mix(map_pair(event->thread, event->location)) * 31 +
                   map_mix(locks_hash(finder->index, pos) + event->op);
    bool added;
    uint64_t *number = map_at(&finder->numbers, key >> 1, &added);
    if (added) {
        *number = finder->classes.count;
        array_push(&finder->classes,
                   ((struct class){.sample = pos, .locks = locks_bits(finder->index, pos)}));
    }
    return (uint32_t)*number;
}

/* The accesses of one variable, class by class. */
static void classify(struct finder *finder, const uint32_t *accesses, uint32_t count)
{
    map_clear(&finder->numbers);
    finder->classes.count = finder->class_of.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = class_number(finder, accesses[i]);
        finder->classes.items[number].count++;
        array_push(&finder->class_of, number);
    }
    uint32_t start = 0;
    for (size_t i = 0; i < finder->classes.count; i++) {
        finder->classes.items[i].start = start;
        start += finder->classes.items[i].count;
        finder->classes.items[i].count = 0;
    }
    finder->members.count = 0;
    array_grow(&finder->members, count);
    for (uint32_t i = 0; i < count; i++) {
        struct class *class = &finder->classes.items[finder->class_of.items[i]];
        finder->members.items[class->start + class->count++] = accesses[i];
    }
}

static uint64_t places_of(const struct search_index *index, uint32_t a, uint32_t b)
{
    uint32_t x = event_at(index, a)->location, y = event_at(index, b)->location;
    return x < y ? map_pair(x, y) : map_pair(y, x);
}

/* The events themselves are not executed, so it is the past of the later one's
 * predecessor that counts. */
bool suspects_ordered(const struct search_index *index, uint32_t first, uint32_t second)
{
    if (!index_clocks(index))
        return false;
    const struct history *history = index->history;
    uint32_t thread = thread_at(index, second), number = history->index[second];
    uint32_t before = number ? history_pos(history, thread, number - 1) : history->fork_of[thread];
    return before != POS_NONE && clocks_ordered(index, first, before);
}

static void add_instance(struct finder *finder, uint32_t a, uint32_t b)
{
    struct suspect_pair pair = {a < b ? a : b, a < b ? b : a};
    uint32_t distance = pair.second - pair.first;
    if ((finder->window && distance > finder->window) ||
        (suspects_ordered(finder->index, pair.first, pair.second) &&
         (!finder->also || suspects_ordered(finder->also, pair.first, pair.second))))
        return;
    uint64_t places =
        finder->every_pair ? map_pair(pair.first, pair.second) : places_of(finder->index, a, b);
    struct instance instance = {places, distance, pair};
    array_push(&finder->instances, instance);
}

/* The first member after `pos`, as an offset. */
static uint32_t member_after(const struct finder *finder, const struct class *class, uint32_t pos)
{
    const uint32_t *members = finder->members.items + class->start;
    return SORTED_POINT(middle, 0, class->count, members[middle] < pos);
}

/* Some instances, spread over the run: members of the smaller class with their
 * neighbours in the other. */
static void add_spread(struct finder *finder, const struct class *a, const struct class *b)
{
    enum { SPREAD = 3 };
    if (a->count == 1 && b->count == 1) {
        add_instance(finder, finder->members.items[a->start], finder->members.items[b->start]);
        return;
    }
    const struct class *few = a->count <= b->count ? a : b, *many = few == a ? b : a;
    const uint32_t *members = finder->members.items;
    uint32_t picks = few->count < SPREAD ? few->count : SPREAD;
    for (uint32_t i = 0; i < picks; i++) {
        uint32_t place = picks == 1 ? 0 : (uint32_t)((uint64_t)i * (few->count - 1) / (picks - 1));
        uint32_t pos = members[few->start + place];
        uint32_t after = member_after(finder, many, pos);
        if (after < many->count)
            add_instance(finder, pos, members[many->start + after]);
        if (after > 0)
            add_instance(finder, pos, members[many->start + after - 1]);
    }
    /* Far apart: what the last of one may still do to the first of the other. */
    add_instance(finder, members[a->start], members[b->start + b->count - 1]);
    add_instance(finder, members[b->start], members[a->start + a->count - 1]);
}

static void add_every(struct finder *finder, const struct class *a, const struct class *b)
{
    const uint32_t *members = finder->members.items;
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t j = 0; j < b->count; j++)
            add_instance(finder, members[a->start + i], members[b->start + j]);
}

/* Every member with the first of the other class that follows it: if closures rule
 * these two out, then also the first of them with all later ones of that class. */
static void add_following(struct finder *finder, const struct class *a, const struct class *b,
                          uint64_t room)
{
    const uint32_t *members = finder->members.items;
    size_t end = finder->instances.count + room;
    for (uint32_t i = 0; i < a->count && finder->instances.count < end; i++) {
        uint32_t pos = members[a->start + i], after = member_after(finder, b, pos);
        if (after == b->count)
            break;
        add_instance(finder, pos, members[b->start + after]);
    }
}

static void add_some(struct finder *finder, const struct class *a, const struct class *b)
{
    enum { FEW = 16 };
    uint64_t places = places_of(finder->index, a->sample, b->sample);
    uint64_t *tried = map_at(&finder->tried, places, NULL), count = *tried & ~PARTIAL;
    if (finder->closed && (!(*tried & PARTIAL) || map_find(finder->closed, places)))
        return;
    if (count >= finder->most) {
        *tried |= PARTIAL;
        return;
    }
    size_t before = finder->instances.count;
    if (!finder->closed) {
        add_spread(finder, a, b);
    } else if ((uint64_t)a->count * b->count <= FEW) {
        add_every(finder, a, b);
    } else {
        add_following(finder, a, b, finder->most - count);
        add_following(finder, b, a, finder->most - count);
    }
    *tried += finder->instances.count - before;
    if (a->count > 1 || b->count > 1)
        *tried |= PARTIAL;
}

static void pair_classes(struct finder *finder, const struct class *a, const struct class *b)
{
    const struct search_index *index = finder->index;
    if (!event_conflict(event_at(index, a->sample), event_at(index, b->sample)) ||
        (a->locks & b->locks && holds_common_lock(index, a->sample, b->sample)))
        return;
    if (finder->every_pair)
        add_every(finder, a, b);
    else
        add_some(finder, a, b);
}

static void look_at_variable(struct finder *finder, uint32_t variable)
{
    uint32_t count;
    const uint32_t *accesses = exposed_accesses(&finder->exposed, variable, &count);
    if (!count)
        return;
    classify(finder, accesses, count);
    size_t near = finder->every_pair ? SIZE_MAX : CLASSES_NEAR;
    for (size_t i = 0; i < finder->classes.count; i++)
        for (size_t j = i > near ? i - near : 0; j < i; j++)
            pair_classes(finder, &finder->classes.items[j], &finder->classes.items[i]);
}

static int compare_instances(const void *a, const void *b)
{
    const struct instance *x = a, *y = b;
    if (x->places != y->places)
        return x->places < y->places ? -1 : 1;
    if (x->distance != y->distance)
        return x->distance < y->distance ? -1 : 1;
    return (x->pair.first > y->pair.first) - (x->pair.first < y->pair.first);
}

/* Sorted instances as suspects, without doubles. */
static void collect(struct finder *finder, struct suspects *suspects)
{
    struct collected ARRAY_OF(struct suspect) items = {0};
    const struct instance *instances = finder->instances.items;
    suspects->pairs = memory_alloc(finder->instances.count, sizeof *suspects->pairs);
    for (size_t i = 0; i < finder->instances.count; i++) {
        if (i == 0 || instances[i].places != instances[i - 1].places) {
            const uint64_t *tried = map_find(&finder->tried, instances[i].places);
            struct suspect suspect = {.places = instances[i].places,
                                      .start = (uint32_t)suspects->pair_count,
                                      .partial = tried && *tried & PARTIAL};
            array_push(&items, suspect);
        } else if (memcmp(&instances[i].pair, &instances[i - 1].pair, sizeof instances->pair) ==
                   0) {
            continue;
        }
        suspects->pairs[suspects->pair_count++] = instances[i].pair;
        array_last(&items).count++;
    }
    suspects->items = items.items;
    suspects->count = items.count;
}

static void look_at_all(struct finder *finder, struct suspects *suspects)
{
    uint32_t variables = trace_count(finder->index->history->trace, CLASS_VARIABLE);
    for (uint32_t variable = 0; variable < variables; variable++)
        look_at_variable(finder, variable);
    if (finder->instances.count)
        qsort(finder->instances.items, finder->instances.count, sizeof *finder->instances.items,
              compare_instances);
    collect(finder, suspects);
    array_free(&finder->instances);
}

void suspects_find(struct suspects *suspects, const struct search_index *index,
                   const struct search_index *also, bool every_pair, uint32_t window)
{
    struct finder *finder = NEW(struct finder);
    *finder = (struct finder){.index = index,
                              .also = also,
                              .every_pair = every_pair,
                              .window = window,
                              .most = SUSPECT_INSTANCES};
    *suspects = (struct suspects){.finder = finder};
    exposed_find(&finder->exposed, index);
    look_at_all(finder, suspects);
}

static uint64_t count_open(const struct map *tried, const struct map *closed)
{
    uint64_t open = 0;
    for (size_t i = map_first(tried); i < tried->capacity; i = map_following(tried, i))
        open += (tried->entries[i].value & PARTIAL) && !map_find(closed, tried->entries[i].key);
    return open;
}

void suspects_more(struct suspects *suspects, const struct map *closed, struct suspects *more)
{
    struct finder *finder = suspects->finder;
    *more = (struct suspects){0};
    uint64_t open = count_open(&finder->tried, closed);
    if (!open)
        return;
    /* All together in proportion to the trace. */
    uint64_t share = ((UINT64_C(1) << 18) + finder->index->history->count / 8) / open;
    finder->most = share > SUSPECT_INSTANCES ? share : SUSPECT_INSTANCES;
    finder->closed = closed;
    for (size_t i = map_first(&finder->tried); i < finder->tried.capacity;
         i = map_following(&finder->tried, i))
        finder->tried.entries[i].value &= PARTIAL;
    look_at_all(finder, more);
}

static void finder_destroy(struct finder *finder)
{
    if (!finder)
        return;
    exposed_free(&finder->exposed);
    map_free(&finder->numbers);
    map_free(&finder->tried);
    array_free(&finder->classes);
    array_free(&finder->members);
    array_free(&finder->class_of);
    free(finder);
}

void suspects_free(struct suspects *suspects)
{
    finder_destroy(suspects->finder);
    free(suspects->items);
    free(suspects->pairs);
    *suspects = (struct suspects){0};
}
