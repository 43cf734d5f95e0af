/* SPDX-License-Identifier: MIT */
#include "deadlock/stuck_bounds.h"
#include "deadlock/stuck_decide.h"

enum {
    SIZE_MAX_THREADS = 8, /* of a set */
    WORK = 1 << 25,       /* unless the engine says something else */
    ENUMERATION_STEPS = 1 << 20,
    TUPLE_STEPS = 1 << 22,
    TUPLES_PER_PLACES = 64, /* decided by search */
};

struct finder {
    const struct stuck_sets *sets;
    const struct history *history;
    struct stuck_bounds *bounds;
    struct stuck_decider *decider;
    uint32_t members[SIZE_MAX_THREADS]; /* classes of the set in the making */
    uint32_t count, size, first;
    uint64_t steps, tuple_steps;
    bool larger;       /* some set was given up only for its size */
    struct map tried;  /* sets of classes */
    struct map places; /* sets of locations -> tuples decided, or FOUND */
};

#define FOUND UINT64_MAX

static const struct wait_class *member(const struct finder *finder, uint32_t at)
{
    return &finder->sets->classes->classes.items[finder->members[at]];
}

static void count(struct finder *finder, enum search_answer answer)
{
    struct engine_run *run = finder->sets->run;
    run->candidates++;
    run->refuted += answer == SEARCH_REFUTED;
    run->exhausted += answer == SEARCH_EXHAUSTED;
}

/* A set of classes whose tuples are looked at. */
struct look {
    struct finder *finder;
    const struct stuck_members *members;
    const uint32_t *helps;
    uint32_t help_count;
    uint64_t places;
    enum search_answer worst;
};

static enum search_answer decide(struct look *look, const uint32_t *events)
{
    const struct stuck_goal goal = {events, look->members->count, look->helps, look->help_count};
    return stuck_decide(look->finder->decider, look->members, &goal);
}

static bool decide_every_tuple(void *context, const uint32_t *events)
{
    struct look *look = context;
    count(look->finder, decide(look, events));
    return true;
}

/* Until one is found, or enough were tried for these locations. */
static bool decide_tuple(void *context, const uint32_t *events)
{
    struct look *look = context;
    uint64_t *tuples = map_at(&look->finder->places, look->places, NULL);
    if (*tuples >= TUPLES_PER_PLACES) {
        look->worst = SEARCH_EXHAUSTED;
        return false;
    }
    ++*tuples;
    enum search_answer answer = decide(look, events);
    if (answer == SEARCH_WITNESS) {
        *map_at(&look->finder->places, look->places, NULL) = FOUND;
        look->worst = SEARCH_WITNESS;
        return false;
    }
    look->worst = answer == SEARCH_EXHAUSTED ? answer : look->worst;
    return true;
}

/* A larger set of waits at the same lines is the same mistake. */
static uint64_t places_of(const struct finder *finder)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < finder->count; i++) {
        bool again = false;
        for (uint32_t k = 0; k < i && !again; k++)
            again = member(finder, k)->location == member(finder, i)->location;
        sum += again ? 0 : map_mix(member(finder, i)->location + UINT64_C(1));
    }
    return sum >> 1;
}

static void decide_set(struct finder *finder)
{
    const struct wait_class *classes[SIZE_MAX_THREADS];
    bool every_pair = finder->sets->run->options->every_pair;
    for (uint32_t i = 0; i < finder->count; i++)
        classes[i] = member(finder, i);
    const struct stuck_members members = {classes, finder->count};
    struct look look = {.finder = finder,
                        .members = &members,
                        .places = places_of(finder),
                        .worst = SEARCH_REFUTED};
    if (!every_pair && *map_at(&finder->places, look.places, NULL) >= TUPLES_PER_PLACES)
        return; /* found, or given up and counted */
    if (stuck_bounds_helps(finder->bounds, &members, finder->sets->to, &look.helps,
                           &look.help_count) &&
        !stuck_bounds_enough_posts(finder->bounds, &members) &&
        !stuck_bounds_each(finder->bounds, &members, &finder->tuple_steps,
                           every_pair ? decide_every_tuple : decide_tuple, &look) &&
        look.worst != SEARCH_WITNESS)
        look.worst = SEARCH_EXHAUSTED;
    if (!every_pair || look.worst == SEARCH_EXHAUSTED)
        count(finder, look.worst);
}

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool is_new(struct finder *finder)
{
    uint32_t sorted[SIZE_MAX_THREADS];
    uint64_t hash = finder->count;
    bool added;
    memcpy(sorted, finder->members, finder->count * sizeof *sorted);
    qsort(sorted, finder->count, sizeof *sorted, compare_numbers);
    for (uint32_t i = 0; i < finder->count; i++)
        hash = map_mix(hash * 31 + sorted[i] + 1);
    map_at(&finder->tried, hash >> 1, &added);
    return added;
}

/* Nobody is in the set in vain. */
static bool all_are_waited_for(const struct finder *finder)
{
    for (uint32_t i = 0; i < finder->count; i++) {
        bool wanted = finder->count == 1;
        for (uint32_t k = 0; k < finder->count && !wanted; k++)
            wanted = k != i && wait_class_waits_for(finder->sets->classes, member(finder, k),
                                                    member(finder, i));
        if (!wanted)
            return false;
    }
    return true;
}

static bool fits(const struct finder *finder, const struct wait_class *class)
{
    for (uint32_t i = 0; i < finder->count; i++)
        if (!wait_classes_meet(finder->sets->classes, member(finder, i), class))
            return false;
    return true;
}

static void extend(struct finder *finder);

/* Adds every class that the member may wait for, one at a time. */
static void add_each(struct finder *finder, uint32_t waiting)
{
    for (uint32_t i = 0; i < finder->sets->classes->classes.count; i++) {
        const struct wait_class *class = &finder->sets->classes->classes.items[i];
        if (!finder->steps)
            return;
        finder->steps--;
        if ((wait_class_is_special(class) && i < finder->first) ||
            !wait_class_waits_for(finder->sets->classes, member(finder, waiting), class) ||
            !fits(finder, class))
            continue;
        if (finder->count == finder->size) {
            finder->larger = true;
            return;
        }
        finder->members[finder->count++] = i;
        extend(finder);
        finder->count--;
    }
}

static bool is_met(const struct finder *finder, uint32_t at)
{
    for (uint32_t i = 0; i < finder->count; i++)
        if (i != at &&
            wait_class_waits_for(finder->sets->classes, member(finder, at), member(finder, i)))
            return true;
    return false;
}

static void extend(struct finder *finder)
{
    if (finder->count > 1 && !is_new(finder))
        return;
    for (uint32_t i = 0; i < finder->count; i++)
        if (!wait_class_has_helpers(member(finder, i)) && !is_met(finder, i)) {
            add_each(finder, i);
            return;
        }
    if (finder->count == finder->size && all_are_waited_for(finder))
        decide_set(finder);
    for (uint32_t i = 0; i < finder->count; i++)
        if (wait_class_has_helpers(member(finder, i)))
            add_each(finder, i);
}

static void find(struct finder *finder)
{
    uint32_t most = finder->history->threads;
    most = most < SIZE_MAX_THREADS ? most : SIZE_MAX_THREADS;
    finder->larger = true;
    for (finder->size = 1; finder->size <= most && finder->larger; finder->size++) {
        finder->larger = false;
        map_clear(&finder->tried);
        for (uint32_t i = 0; i < finder->sets->classes->classes.count; i++) {
            if (!wait_class_is_special(&finder->sets->classes->classes.items[i]))
                continue;
            finder->first = finder->members[0] = i;
            finder->count = 1;
            extend(finder);
        }
    }
    if (finder->sets->classes->too_many || !finder->steps ||
        (finder->larger && most < finder->history->threads))
        count(finder, SEARCH_EXHAUSTED); /* the sets not seen */
}

bool stuck_sets_possible(const struct trace *trace)
{
    return trace_count(trace, CLASS_CONDITION) || trace_count(trace, CLASS_BARRIER) ||
           trace_count(trace, CLASS_SEMAPHORE) || trace_count(trace, CLASS_ONCE);
}

void stuck_sets_find(const struct stuck_sets *sets)
{
    if (!sets->classes->any_special)
        return;
    uint64_t work = WORK;
    struct stuck_sets own = *sets;
    own.work = sets->work ? sets->work : &work;
    struct finder finder = {
        .sets = &own,
        .history = sets->run->history,
        .bounds = sets->bounds ? sets->bounds : stuck_bounds_create(sets->blocking, sets->index),
        .decider = stuck_decider_create(&own),
        .steps = *own.work < ENUMERATION_STEPS ? *own.work : ENUMERATION_STEPS,
        .tuple_steps = *own.work < TUPLE_STEPS ? *own.work : TUPLE_STEPS,
    };
    uint64_t steps = finder.steps + finder.tuple_steps;
    find(&finder);
    steps -= finder.steps + finder.tuple_steps;
    *own.work -= steps < *own.work ? steps : *own.work;
    if (!sets->bounds)
        stuck_bounds_destroy(finder.bounds);
    stuck_decider_destroy(finder.decider);
    map_free(&finder.tried);
    map_free(&finder.places);
}

void stuck_sets_find_all(struct stuck_sets *sets)
{
    const struct history *history = sets->run->history;
    struct rules *rules = rules_create(history, sets->model);
    struct blocking *blocking = blocking_create(rules);
    struct wait_reader *reader = wait_reader_create(blocking, sets->model);
    struct wait_classes *classes = wait_reader_next(reader, history->count);
    struct machine *start = machine_create(rules);
    sets->rules = rules;
    sets->blocking = blocking;
    sets->classes = classes;
    sets->start = start;
    sets->from = 0;
    sets->to = history->count;
    stuck_sets_find(sets);
    machine_destroy(start);
    wait_classes_destroy(classes);
    wait_reader_destroy(reader);
    blocking_destroy(blocking);
    rules_destroy(rules);
}
