/* SPDX-License-Identifier: MIT */
#include "deadlock/cycle_search.h"

#include "engine/found.h"
#include "deadlock/lock_cycles.h"
#include "deadlock/near_instances.h"

/* A set of source locations, and what is known of the cycles through them. */
struct place_set {
    enum decision decision;
    uint32_t looks, decisions; /* made for it so far, the latter in this round */
    bool settled;              /* in an earlier round */
};

struct attempt {
    struct cycle_search *search;
    const uint32_t *cycle;
    uint32_t length;
    struct cursors ARRAY_OF(uint32_t) cursors; /* instance by instance of the cycle */
    struct acquires ARRAY_OF(uint32_t) tuple;
    struct places ARRAY_OF(uint64_t) places;
    struct instance_tuples near;
    struct map place_index; /* hash of a set of locations -> its number + 1 */
    struct place_sets ARRAY_OF(struct place_set) sets;
    uint32_t rounds; /* before this one */
    /* While looking: at tuples that lie so far apart, and no decision yet; else 0. */
    uint32_t span_least, span_most;
};

/* The closer together, the cheaper a look and the likelier its success: no tuple of any cycle is
 * looked at before those that lie much closer together. */
static const uint32_t look_spans[] = {0, 1 << 8, 1 << 11};
enum { LOOK_ROUNDS = sizeof look_spans / sizeof *look_spans - 1, LOOK_SHARE = 64 };

static int compare_places(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static struct place_set *places_of(struct attempt *attempt)
{
    const struct dependency *dependencies = attempt->search->order->dependencies.items;
    struct places *places = &attempt->places;
    places->count = 0;
    for (uint32_t i = 0; i < attempt->length; i++)
        array_push(places, dependencies[attempt->cycle[i]].location);
    qsort(places->items, places->count, sizeof *places->items, compare_places);
    uint64_t hash = 0;
    for (size_t i = 0; i < places->count; i++)
        if (!i || places->items[i] != places->items[i - 1])
            hash = map_mix(hash * 31 + places->items[i] + 1);
    bool added;
    uint64_t *number = map_at(&attempt->place_index, hash >> 1, &added);
    if (added) {
        struct place_set set = {.decision = DECISION_NO};
        array_push(&attempt->sets, set);
        *number = attempt->sets.count;
    }
    return &attempt->sets.items[*number - 1];
}

static struct cycle_tuple tuple_at_cursors(struct attempt *attempt)
{
    const struct dependency *dependencies = attempt->search->order->dependencies.items;
    attempt->tuple.count = 0;
    for (uint32_t i = 0; i < attempt->length; i++)
        array_push(&attempt->tuple,
                   dependencies[attempt->cycle[i]].instances.items[attempt->cursors.items[i]]);
    return (struct cycle_tuple){.acquires = attempt->tuple.items, .count = attempt->length};
}

/* The next tuple of instances; false after the last one. */
static bool advance(struct attempt *attempt)
{
    const struct dependency *dependencies = attempt->search->order->dependencies.items;
    for (uint32_t i = 0; i < attempt->length; i++) {
        if (++attempt->cursors.items[i] < dependencies[attempt->cycle[i]].instances.count)
            return true;
        attempt->cursors.items[i] = 0;
    }
    return false;
}

static void report(const struct cycle_search *search, struct cycle_tuple *tuple)
{
    const struct history *history = search->run->history;
    const struct event *first = &history->events[tuple->acquires[0]];
    struct finding_event *events = NEW_ARRAY(struct finding_event, tuple->count);
    found_events(events, history, tuple->acquires, tuple->count);
    struct finding finding =
        found_deadlock(search->run, search->model, first, events, tuple->count);
    finding.witness = tuple->witness;
    finding.witness_length = tuple->witness_length;
    finding.note = tuple->note;
    findings_add(search->run->findings, &finding);
    free(events);
    free(tuple->witness);
    free(tuple->note);
}

static void count(const struct cycle_search *search, enum decision decision)
{
    struct engine_run *run = search->run;
    if (search->only_found && decision != DECISION_YES)
        return;
    run->candidates++;
    run->refuted += decision == DECISION_NO;
    run->exhausted += decision == DECISION_UNKNOWN;
}

static enum decision decide(const struct cycle_search *search, struct cycle_tuple *tuple)
{
    enum decision decision = search->decide(search->context, tuple);
    if (decision == DECISION_YES)
        report(search, tuple);
    return decision;
}

static void decide_every_tuple(struct attempt *attempt)
{
    do {
        struct cycle_tuple tuple = tuple_at_cursors(attempt);
        count(attempt->search, decide(attempt->search, &tuple));
    } while (!attempt->search->stop && advance(attempt));
}

static bool is_at_this_span(const struct attempt *attempt, const struct cycle_tuple *tuple)
{
    uint32_t low = UINT32_MAX, high = 0;
    for (uint32_t i = 0; i < tuple->count; i++) {
        low = tuple->acquires[i] < low ? tuple->acquires[i] : low;
        high = tuple->acquires[i] > high ? tuple->acquires[i] : high;
    }
    return high - low >= attempt->span_least && high - low < attempt->span_most;
}

static bool look_nearby(struct attempt *attempt, struct place_set *set)
{
    const struct cycle_search *search = attempt->search;
    uint32_t length = attempt->length;
    uint32_t tuples = near_instances(search->order, attempt->cycle, length, &attempt->near);
    bool found = false;
    for (uint32_t i = 0; i < tuples && !found && set->looks < search->looks; i++) {
        memcpy(attempt->cursors.items, &attempt->near.items[i * length],
               length * sizeof *attempt->cursors.items);
        struct cycle_tuple tuple = tuple_at_cursors(attempt);
        if (!is_at_this_span(attempt, &tuple))
            continue;
        set->looks++;
        found = search->look(search->context, &tuple);
        if (found)
            report(search, &tuple);
    }
    memset(attempt->cursors.items, 0, length * sizeof *attempt->cursors.items);
    return found;
}

static enum decision decide_places(struct attempt *attempt, struct place_set *set)
{
    const struct cycle_search *search = attempt->search;
    enum decision answer = set->decision;
    do {
        if (set->decisions++ >= search->decisions)
            return DECISION_UNKNOWN;
        struct cycle_tuple tuple = tuple_at_cursors(attempt);
        enum decision decision = decide(search, &tuple);
        if (decision == DECISION_YES)
            return DECISION_YES;
        if (decision == DECISION_UNKNOWN)
            answer = DECISION_UNKNOWN;
    } while (advance(attempt));
    return answer;
}

/* Nothing more will be done for it in this round. */
static bool is_settled(const struct attempt *attempt, const struct place_set *set)
{
    const struct cycle_search *search = attempt->search;
    if (set->decision == DECISION_YES || set->settled)
        return true;
    return attempt->span_most
               ? set->looks >= search->looks
               : set->decision == DECISION_UNKNOWN && set->decisions >= search->decisions;
}

static enum cycle_reply try_cycle(void *context, const uint32_t *cycle, uint32_t length)
{
    struct attempt *attempt = context;
    attempt->cycle = cycle;
    attempt->length = length;
    array_grow(&attempt->cursors, length);
    memset(attempt->cursors.items, 0, length * sizeof *attempt->cursors.items);
    if (attempt->search->run->options->every_pair) {
        decide_every_tuple(attempt);
        return attempt->search->stop ? CYCLE_STOP : CYCLE_NEXT;
    }
    struct place_set *set = places_of(attempt);
    if (set->decision != DECISION_YES && !set->settled) {
        if (!attempt->span_most)
            set->decision = decide_places(attempt, set);
        else if (look_nearby(attempt, set))
            set->decision = DECISION_YES;
    }
    if (attempt->search->stop)
        return CYCLE_STOP;
    return is_settled(attempt, set) ? CYCLE_SETTLED : CYCLE_NEXT;
}

/* Sets that are undecided have another chance; false if there are none. */
static bool begin_round(struct attempt *attempt)
{
    struct cycle_search *search = attempt->search;
    bool any = false;
    for (size_t i = 0; i < attempt->sets.count; i++)
        any |= attempt->sets.items[i].decision == DECISION_UNKNOWN;
    if (!any || search->stop || !search->another || !search->another(search->context, search))
        return false;
    attempt->rounds++;
    for (size_t i = 0; i < attempt->sets.count; i++) {
        struct place_set *set = &attempt->sets.items[i];
        set->settled = set->decision != DECISION_UNKNOWN;
        set->decisions = 0;
        if (!set->settled)
            set->decision = DECISION_NO;
    }
    return true;
}

/* Not seeing all cycles does no harm yet. */
static void look_round(struct attempt *attempt, uint32_t round)
{
    uint64_t steps = attempt->search->cycle_steps / LOOK_SHARE;
    if (look_spans[round] > attempt->search->run->history->count)
        return;
    attempt->span_least = look_spans[round];
    attempt->span_most = look_spans[round + 1];
    lock_cycles_each(attempt->search->order, &steps, try_cycle, attempt);
    attempt->span_least = attempt->span_most = 0;
}

void cycle_search_run(struct cycle_search *search)
{
    struct attempt attempt = {.search = search};
    bool all;
    for (uint32_t i = 0; search->look && !search->run->options->every_pair && i < LOOK_ROUNDS; i++)
        look_round(&attempt, i);
    do
        all = lock_cycles_each(search->order, &search->cycle_steps, try_cycle, &attempt);
    while (begin_round(&attempt));
    if (!all || search->stop)
        count(search, DECISION_UNKNOWN); /* the cycles not seen */
    for (size_t i = 0; i < attempt.sets.count; i++) {
        struct place_set *set = &attempt.sets.items[i];
        if ((search->stop || (!all && attempt.rounds)) && !set->settled &&
            set->decision == DECISION_NO)
            set->decision = DECISION_UNKNOWN; /* others of its cycles are among them */
        count(search, set->decision);
    }
    array_free(&attempt.cursors);
    array_free(&attempt.tuple);
    array_free(&attempt.places);
    array_free(&attempt.near);
    array_free(&attempt.sets);
    map_free(&attempt.place_index);
}
