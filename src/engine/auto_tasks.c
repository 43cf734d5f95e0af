#include "engine/auto_tasks.h"

#include "engine/lock_cycles.h"

struct cycles {
    struct tasks *tasks;
    const struct engine_run *run;
    const struct lock_order *order;
    struct map tried; /* hash of the locations -> cycles with them */
};

enum {
    CYCLE_PICKS = 8,       /* instances of a cycle, spread over the run */
    CYCLES_ALIKE = 8,      /* cycles with the same locations */
    CYCLES_MAX = 1 << 18,  /* in all */
    TUPLES_MAX = 1 << 20,  /* of one cycle, with every pair wanted */
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
                        bool after)
{
    for (uint32_t i = 0; i < length; i++) {
        const struct dependency *one = dependency(cycles, cycle[i]);
        size_t low = 0, high = one->instances.count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (one->instances.items[middle] < pos)
                low = middle + 1;
            else
                high = middle;
        }
        bool exact = low < one->instances.count && one->instances.items[low] == pos;
        if (!exact && low && (!after || low == one->instances.count))
            low--;
        array_push(&cycles->tasks->events, one->instances.items[low]);
    }
    array_last(&cycles->tasks->list).count++;
}

static void add_spread(struct cycles *cycles, const uint32_t *cycle, uint32_t length)
{
    const struct dependency *few = dependency(cycles, cycle[0]);
    for (uint32_t i = 1; i < length; i++)
        if (dependency(cycles, cycle[i])->instances.count < few->instances.count)
            few = dependency(cycles, cycle[i]);
    size_t count = few->instances.count, picks = count < CYCLE_PICKS ? count : CYCLE_PICKS;
    begin_task(cycles->tasks, length);
    for (size_t i = 0; i < picks; i++) {
        size_t place = picks == 1 ? 0 : i * (count - 1) / (picks - 1);
        add_nearest(cycles, cycle, length, few->instances.items[place], true);
        add_nearest(cycles, cycle, length, few->instances.items[place], false);
    }
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

static bool on_cycle(void *context, const uint32_t *cycle, uint32_t length)
{
    struct cycles *cycles = context;
    if (cycles->run->options->every_pair) {
        add_every(cycles, cycle, length);
        return true;
    }
    uint64_t places = 0;
    for (uint32_t i = 0; i < length; i++)
        places += map_mix(dependency(cycles, cycle[i])->location + UINT64_C(1));
    uint64_t *alike = map_at(&cycles->tried, places >> 1, NULL);
    if ((*alike)++ < CYCLES_ALIKE)
        add_spread(cycles, cycle, length);
    return cycles->tasks->list.count < CYCLES_MAX;
}

void tasks_add_deadlocks(struct tasks *tasks, const struct engine_run *run)
{
    struct lock_order *order = lock_order_read(run->history);
    struct cycles cycles = {tasks, run, order, {0}};
    uint64_t steps = CYCLE_STEPS + 4 * (uint64_t)run->history->count;
    if (!lock_cycles_each(order, steps, on_cycle, &cycles))
        tasks->left_out++;
    map_free(&cycles.tried);
    lock_order_destroy(order);
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
