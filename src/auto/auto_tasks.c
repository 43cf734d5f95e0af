/* SPDX-License-Identifier: MIT */
#include "auto/auto_tasks.h"

#include "base/sorted.h"
#include "deadlock/lock_cycles.h"

/* Acquires that may deadlock; those with the same locations are one candidate. */
struct tuple {
    uint64_t places;
    size_t start; /* in events */
    uint32_t length;
};

struct cycles {
    struct tasks *tasks;
    const struct engine_run *run;
    const struct lock_order *order;
    struct map tried; /* hash of the locations -> cycles with them, or CYCLES_ALIKE if known */
    struct tuples ARRAY_OF(struct tuple) tuples;
    struct tuple_events ARRAY_OF(uint32_t) events;
};

enum {
    CYCLE_PICKS = 4,       /* instances of a cycle, spread over the run */
    CYCLE_TUPLES = 32,     /* tuples of a cycle, if it has no more */
    CYCLES_ALIKE = 512,    /* cycles with the same locations */
    TUPLES_MAX = 1 << 20,  /* in all; with every pair wanted, of one cycle */
    CYCLE_STEPS = 1 << 22, /* of the enumeration, and four more for each event */
};

static const struct dependency *dependency(const struct cycles *cycles, uint32_t number)
{
    return &cycles->order->dependencies.items[number];
}

static void begin_task(struct tasks *tasks, uint32_t size)
{
    array_push(&tasks->list, ((struct solve_task){.goal = SEARCH_DEADLOCK, .size = size}));
    array_push(&tasks->starts, tasks->events.count);
}

/* Adds the instances nearest to `pos`, at or after it, or else before it. */
static void add_nearest(struct cycles *cycles, const uint32_t *cycle, uint32_t length, uint32_t pos,
                        bool after, uint64_t places)
{
    struct tuple tuple = {places, cycles->events.count, length};
    array_push(&cycles->tuples, tuple);
    for (uint32_t i = 0; i < length; i++) {
        const struct dependency *one = dependency(cycles, cycle[i]);
        size_t low =
            SORTED_POINT(middle, 0, one->instances.count, one->instances.items[middle] < pos);
        bool exact = low < one->instances.count && one->instances.items[low] == pos;
        if (!exact && low && (!after || low == one->instances.count))
            low--;
        array_push(&cycles->events, one->instances.items[low]);
    }
}

/* Every tuple of a cycle, if there are only a few; false if there are more. */
static bool add_all(struct cycles *cycles, const uint32_t *cycle, uint32_t length, uint64_t places)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < length && count <= CYCLE_TUPLES; i++)
        count *= dependency(cycles, cycle[i])->instances.count;
    if (count > CYCLE_TUPLES)
        return false;
    for (uint64_t number = 0; number < count; number++) {
        struct tuple tuple = {places, cycles->events.count, length};
        array_push(&cycles->tuples, tuple);
        uint64_t rest = number;
        for (uint32_t i = 0; i < length; i++) {
            const struct dependency *one = dependency(cycles, cycle[i]);
            array_push(&cycles->events, one->instances.items[rest % one->instances.count]);
            rest /= one->instances.count;
        }
    }
    return true;
}

static void add_spread(struct cycles *cycles, const uint32_t *cycle, uint32_t length,
                       uint64_t places)
{
    if (add_all(cycles, cycle, length, places))
        return;
    const struct dependency *few = dependency(cycles, cycle[0]);
    for (uint32_t i = 1; i < length; i++)
        if (dependency(cycles, cycle[i])->instances.count < few->instances.count)
            few = dependency(cycles, cycle[i]);
    size_t count = few->instances.count, picks = count < CYCLE_PICKS ? count : CYCLE_PICKS;
    for (size_t i = 0; i < picks; i++) {
        size_t place = picks == 1 ? 0 : i * (count - 1) / (picks - 1);
        add_nearest(cycles, cycle, length, few->instances.items[place], true, places);
        add_nearest(cycles, cycle, length, few->instances.items[place], false, places);
    }
}

static int compare_tuples(const void *a, const void *b)
{
    const struct tuple *x = a, *y = b;
    if (x->places != y->places)
        return x->places < y->places ? -1 : 1;
    return (x->start > y->start) - (x->start < y->start);
}

/* One task for the tuples with the same locations. */
static void join_tuples(struct cycles *cycles)
{
    const struct tuple *tuples = cycles->tuples.items;
    if (cycles->tuples.count)
        qsort(cycles->tuples.items, cycles->tuples.count, sizeof *tuples, compare_tuples);
    for (size_t i = 0; i < cycles->tuples.count; i++) {
        if (i == 0 || tuples[i].places != tuples[i - 1].places ||
            tuples[i].length != tuples[i - 1].length)
            begin_task(cycles->tasks, tuples[i].length);
        for (uint32_t k = 0; k < tuples[i].length; k++)
            array_push(&cycles->tasks->events, cycles->events.items[tuples[i].start + k]);
        array_last(&cycles->tasks->list).count++;
    }
    array_free(&cycles->tuples);
    array_free(&cycles->events);
}

static void add_every(struct cycles *cycles, const uint32_t *cycle, uint32_t length)
{
    uint32_t *cursors = NEW_ARRAY(uint32_t, length);
    for (uint32_t left = TUPLES_MAX; left; left--) {
        begin_task(cycles->tasks, length);
        array_last(&cycles->tasks->list).count = 1;
        for (uint32_t i = 0; i < length; i++)
            array_push(&cycles->tasks->events,
                       dependency(cycles, cycle[i])->instances.items[cursors[i]]);
        uint32_t i = 0;
        while (i < length && ++cursors[i] == dependency(cycles, cycle[i])->instances.count)
            cursors[i++] = 0;
        if (i == length) {
            free(cursors);
            return;
        }
    }
    cycles->tasks->left_out++;
    free(cursors);
}

static bool is_known(const struct cycles *cycles, const uint32_t *cycle, uint32_t length)
{
    struct finding_event *events = NEW_ARRAY(struct finding_event, length);
    struct finding finding = {.kind = FINDING_DEADLOCK,
                              .engine = cycles->run->engine->name,
                              .block = INTERN_NONE,
                              .events = events,
                              .event_count = length};
    for (uint32_t i = 0; i < length; i++)
        events[i].location = dependency(cycles, cycle[i])->location;
    bool known = !findings_is_new(cycles->run->findings, &finding);
    free(events);
    return known;
}

static enum cycle_reply on_cycle(void *context, const uint32_t *cycle, uint32_t length)
{
    struct cycles *cycles = context;
    if (cycles->run->options->every_pair) {
        add_every(cycles, cycle, length);
        return CYCLE_NEXT;
    }
    uint64_t places = 0;
    for (uint32_t i = 0; i < length; i++)
        places += map_mix(dependency(cycles, cycle[i])->location + UINT64_C(1));
    uint64_t *alike = map_at(&cycles->tried, places >> 1, NULL);
    if (!*alike && is_known(cycles, cycle, length))
        *alike = CYCLES_ALIKE;
    if ((*alike)++ < CYCLES_ALIKE)
        add_spread(cycles, cycle, length, places);
    return cycles->tuples.count < TUPLES_MAX ? CYCLE_NEXT : CYCLE_STOP;
}

void tasks_add_deadlocks(struct tasks *tasks, const struct engine_run *run,
                         const struct lock_order *order)
{
    struct cycles cycles = {.tasks = tasks, .run = run, .order = order};
    uint64_t steps = CYCLE_STEPS + 4 * (uint64_t)run->history->count;
    if (!lock_cycles_each(order, &steps, on_cycle, &cycles))
        tasks->left_out++;
    join_tuples(&cycles);
    map_free(&cycles.tried);
}

void tasks_finish(struct tasks *tasks)
{
    for (size_t i = 0; i < tasks->list.count; i++)
        tasks->list.items[i].events = tasks->events.items + tasks->starts.items[i];
}

void tasks_free(struct tasks *tasks)
{
    array_free(&tasks->list);
    array_free(&tasks->starts);
    array_free(&tasks->events);
}
