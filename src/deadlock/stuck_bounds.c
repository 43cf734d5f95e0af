/* SPDX-License-Identifier: MIT */
#include "deadlock/stuck_bounds.h"

#include "base/sorted.h"
#include "deadlock/monitor_order.h"
#include "deadlock/stuck_counts.h"
#include "search/clocks.h"

enum { MEMBERS_MAX = 16, SEMAPHORES_MAX = 4 };

struct stuck_bounds {
    const struct history *history;
    const struct blocking *blocking;
    const struct clocks *clocks; /* or NULL */
    struct stuck_counts *counts;
    struct map most_owed;
    struct help_list ARRAY_OF(uint32_t) helps;
    uint32_t *must;                 /* by thread: events that the helps take */
    struct monitor_order *monitors; /* or NULL */
};

struct stuck_bounds *stuck_bounds_create(const struct blocking *blocking,
                                         const struct search_index *index)
{
    const struct history *history = blocking->history;
    struct stuck_bounds *bounds = NEW(struct stuck_bounds);
    bounds->history = history;
    bounds->blocking = blocking;
    bounds->clocks = index ? index_clocks(index) : NULL;
    bounds->counts = stuck_counts_create(history);
    bounds->must = NEW_ARRAY(uint32_t, history->threads);
    if (bounds->clocks && trace_count(history->trace, CLASS_CONDITION))
        bounds->monitors = monitor_order_create(index);
    return bounds;
}

void stuck_bounds_destroy(struct stuck_bounds *bounds)
{
    if (!bounds)
        return;
    stuck_counts_destroy(bounds->counts);
    map_free(&bounds->most_owed);
    array_free(&bounds->helps);
    monitor_order_destroy(bounds->monitors);
    free(bounds->must);
    free(bounds);
}

/* The events of `thread` that must be executed once `pos` is. */
static uint32_t past(const struct stuck_bounds *bounds, uint32_t pos, uint32_t thread)
{
    if (pos == POS_NONE)
        return 0;
    if (bounds->history->events[pos].thread == thread)
        return bounds->history->index[pos] + 1;
    return bounds->clocks ? clocks_past(bounds->clocks, pos)[thread] : 0;
}

/* The same once `pos` is the next event of its thread. */
static uint32_t need(const struct stuck_bounds *bounds, uint32_t pos, uint32_t thread)
{
    const struct history *history = bounds->history;
    uint32_t self = history->events[pos].thread, index = history->index[pos];
    return past(bounds, index ? history_pos(history, self, index - 1) : history->fork_of[self],
                thread);
}

static bool is_member(const struct stuck_members *members, uint32_t thread)
{
    for (uint32_t i = 0; i < members->count; i++)
        if (members->classes[i]->thread == thread)
            return true;
    return false;
}

bool stuck_bounds_helps(struct stuck_bounds *bounds, const struct stuck_members *members,
                        uint32_t to, const uint32_t **helps, uint32_t *count)
{
    const struct history *history = bounds->history;
    bool inside = true;
    bounds->helps.count = 0;
    memset(bounds->must, 0, history->threads * sizeof *bounds->must);
    for (uint32_t i = 0; i < members->count; i++) {
        const struct wait_class *class = members->classes[i];
        for (uint32_t thread = 0; wait_class_has_helpers(class) && thread < history->threads;
             thread++) {
            const uint64_t *last =
                map_find(&bounds->blocking->last_help,
                         blocking_help_key(class->wanted == WANTS_SIGNAL, class->object, thread));
            if (!last || is_member(members, thread))
                continue;
            uint32_t pos = history_pos(history, thread, (uint32_t)*last - 1);
            inside &= pos < to;
            array_push(&bounds->helps, pos);
        }
    }
    for (size_t i = 0; i < bounds->helps.count; i++)
        for (uint32_t thread = 0; thread < history->threads; thread++) {
            uint32_t must = past(bounds, bounds->helps.items[i], thread);
            bounds->must[thread] = must > bounds->must[thread] ? must : bounds->must[thread];
        }
    *helps = bounds->helps.items;
    *count = (uint32_t)bounds->helps.count;
    return inside;
}

struct semaphores {
    uint32_t items[SEMAPHORES_MAX];
    uint32_t count;
};

static void find_semaphores(const struct stuck_members *members, struct semaphores *found)
{
    found->count = 0;
    for (uint32_t i = 0; i < members->count; i++) {
        bool known = members->classes[i]->wanted != WANTS_POST || found->count == SEMAPHORES_MAX;
        for (uint32_t k = 0; k < found->count && !known; k++)
            known = found->items[k] == members->classes[i]->object;
        if (!known)
            found->items[found->count++] = members->classes[i]->object;
    }
}

/* The most that any instance of the class owes of these semaphores together. */
static int64_t most_owed(struct stuck_bounds *bounds, const struct wait_class *class,
                         const struct semaphores *all, uint32_t chosen)
{
    uint64_t key = map_mix(map_pair((uint32_t) class->wanted, class->instances.items[0]));
    for (uint32_t i = 0; i < all->count; i++)
        if (chosen >> i & 1)
            key = map_mix(key * 31 + all->items[i] + 1);
    bool added;
    uint64_t *known = map_at(&bounds->most_owed, key >> 1, &added);
    if (!added)
        return (int64_t)*known;
    int64_t most = INT64_MIN;
    for (size_t k = 0; k < class->instances.count; k++) {
        int64_t sum = 0;
        for (uint32_t i = 0; i < all->count; i++)
            if (chosen >> i & 1)
                sum += stuck_counts_owed(bounds->counts, all->items[i], class->thread,
                                         bounds->history->index[class->instances.items[k]]);
        most = sum > most ? sum : most;
    }
    *known = (uint64_t)most;
    return most;
}

bool stuck_bounds_enough_posts(struct stuck_bounds *bounds, const struct stuck_members *members)
{
    struct semaphores all;
    find_semaphores(members, &all);
    for (uint32_t chosen = 1; chosen < 1u << all.count; chosen++) {
        int64_t owes = 0, left = 0;
        for (uint32_t i = 0; i < all.count; i++)
            left += chosen >> i & 1 ? bounds->counts->left[all.items[i]] : 0;
        for (uint32_t i = 0; i < members->count; i++)
            owes += most_owed(bounds, members->classes[i], &all, chosen);
        if (owes < left)
            return true;
    }
    return false;
}

/* The tuple in the making. */
struct tuple {
    struct stuck_bounds *bounds;
    const struct stuck_members *members;
    uint32_t events[MEMBERS_MAX];
    uint32_t *steps_order; /* classes, those with the fewest instances first */
    uint64_t *steps;
    stuck_visit *visit;
    void *context;
    bool stopped, ran_out;
};

static bool posts_suffice(const struct tuple *tuple)
{
    const struct stuck_bounds *bounds = tuple->bounds;
    struct semaphores all;
    find_semaphores(tuple->members, &all);
    for (uint32_t s = 0; s < all.count; s++) {
        int64_t owes = 0;
        for (uint32_t i = 0; i < tuple->members->count; i++)
            owes +=
                stuck_counts_owed(bounds->counts, all.items[s], tuple->members->classes[i]->thread,
                                  bounds->history->index[tuple->events[i]]);
        if (owes < bounds->counts->left[all.items[s]])
            return true;
    }
    return false;
}

/* Of `thread`: the event it stops at if it is of the set, else what must be executed. */
static uint32_t executed(const struct tuple *tuple, uint32_t thread, uint32_t otherwise,
                         bool *unsignalled)
{
    const struct stuck_bounds *bounds = tuple->bounds;
    uint32_t must = bounds->must[thread];
    *unsignalled = false;
    for (uint32_t i = 0; i < tuple->members->count; i++) {
        const struct wait_class *class = tuple->members->classes[i];
        if (class->thread == thread) {
            *unsignalled = class->wanted == WANTS_SIGNAL;
            return bounds->history->index[tuple->events[i]];
        }
        uint32_t needed = need(bounds, tuple->events[i], thread);
        must = needed > must ? needed : must;
    }
    return otherwise == UINT32_MAX ? must : otherwise;
}

/* Of indices below `end`, how many events come after `pos` in any case? */
static uint32_t count_after(const struct stuck_bounds *bounds, const struct indices *indices,
                            uint32_t thread, uint32_t pos, uint32_t end)
{
    uint32_t all = indices_below(indices, end);
    uint32_t waiter = bounds->history->events[pos].thread, index = bounds->history->index[pos];
    uint32_t low =
        SORTED_POINT(middle, 0, all,
                     past(bounds, history_pos(bounds->history, thread, indices->items[middle]),
                          waiter) <= index);
    if (bounds->monitors && low) {
        uint32_t from = monitor_order_after(bounds->monitors, pos, thread, end);
        uint32_t before = from == UINT32_MAX ? all : indices_below(indices, from);
        low = before < low ? before : low;
    }
    return all - low;
}

/* Must a signal have chosen the member, which waits for one? */
static bool is_chosen(const struct tuple *tuple, uint32_t at)
{
    const struct stuck_bounds *bounds = tuple->bounds;
    const struct history *history = bounds->history;
    const struct event *event = &history->events[tuple->events[at]];
    uint32_t begin = history_pos(history, event->thread, history->index[tuple->events[at]] - 1);
    uint32_t signals = 0, takers = 0;
    if (event->op != EVENT_WAIT_END || history->events[begin].op != EVENT_WAIT_BEGIN)
        return false;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        const struct usage *usage = stuck_counts_of(bounds->counts, true, event->object, thread);
        bool unsignalled;
        if (!usage || thread == event->thread)
            continue;
        uint32_t end = executed(tuple, thread, UINT32_MAX, &unsignalled);
        signals += count_after(bounds, &usage->gives, thread, begin, end);
        if (count_after(bounds, &usage->broadcasts, thread, begin, end))
            return true;
        uint32_t last =
            executed(tuple, thread, history_thread_length(history, thread), &unsignalled);
        /* Waits that had not returned when this one began, as far as that is certain. */
        uint32_t over = need(bounds, begin, thread);
        uint32_t waits =
            indices_below(&usage->takes, last) - indices_below(&usage->takes, over ? over - 1 : 0);
        bool waits_now = last && indices_below(&usage->takes, last) &&
                         usage->takes.items[indices_below(&usage->takes, last) - 1] == last - 1;
        takers += waits - (waits && unsignalled && waits_now);
    }
    return signals > takers;
}

static void visit(struct tuple *tuple)
{
    for (uint32_t i = 0; i < tuple->members->count; i++)
        if (tuple->members->classes[i]->wanted == WANTS_SIGNAL && is_chosen(tuple, i))
            return;
    if (!posts_suffice(tuple))
        tuple->stopped = !tuple->visit(tuple->context, tuple->events);
}

/* Can the thread of `a`, at its event, be executed no further than `b` needs, and the
 * reverse? */
static bool compatible(const struct stuck_bounds *bounds, uint32_t a, uint32_t b)
{
    const struct event *events = bounds->history->events;
    return need(bounds, a, events[b].thread) <= bounds->history->index[b];
}

/* The first instance whose index is at least that. */
static uint32_t first_from(const struct stuck_bounds *bounds, const struct wait_class *class,
                           uint32_t index)
{
    return SORTED_POINT(middle, 0, (uint32_t) class->instances.count,
                        bounds->history->index[class->instances.items[middle]] < index);
}

/* The first instance, from `low` on, that needs more of the chosen ones than they have done: nor
 * will any later one do. */
static uint32_t first_too_late(const struct tuple *tuple, const struct wait_class *class,
                               uint32_t chosen, uint32_t low)
{
    uint32_t high = (uint32_t) class->instances.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        bool fits = true;
        for (uint32_t i = 0; i < chosen && fits; i++)
            fits = compatible(tuple->bounds, class->instances.items[middle],
                              tuple->events[tuple->steps_order[i]]);
        if (fits)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The number of the instance, of first .. end - 1, to be tried next: of the first class from both
 * ends, since errors often lie where a program ends; of the others from where it stands, outwards.
 */
static uint32_t next_instance(const struct tuple *tuple, const struct wait_class *class,
                              uint32_t chosen, uint32_t first, uint32_t end, uint32_t i)
{
    if (!chosen)
        return i & 1 ? first + i / 2 : end - 1 - i / 2;
    uint32_t pos = tuple->events[tuple->steps_order[0]];
    uint32_t low = SORTED_POINT(middle, first, end, class->instances.items[middle] < pos);
    uint32_t below = low - first, above = end - low, both = below < above ? below : above;
    if (i < 2 * both)
        return i & 1 ? low - 1 - i / 2 : low + i / 2;
    return below > above ? low - 1 - (i - both) : low + (i - both);
}

/* Classes beyond the first `chosen`, in order, get each instance that goes with those. */
static void choose(struct tuple *tuple, uint32_t chosen)
{
    const struct stuck_bounds *bounds = tuple->bounds;
    if (chosen == tuple->members->count) {
        visit(tuple);
        return;
    }
    uint32_t at = tuple->steps_order[chosen];
    const struct wait_class *class = tuple->members->classes[at];
    uint32_t least = bounds->must[class->thread];
    for (uint32_t i = 0; i < chosen; i++) {
        uint32_t needed = need(bounds, tuple->events[tuple->steps_order[i]], class->thread);
        least = needed > least ? needed : least;
    }
    uint32_t first = first_from(bounds, class, least);
    uint32_t end = first_too_late(tuple, class, chosen, first);
    for (uint32_t i = 0; i < end - first && !tuple->stopped; i++) {
        if (!*tuple->steps) {
            tuple->stopped = tuple->ran_out = true;
            return;
        }
        --*tuple->steps;
        tuple->events[at] =
            class->instances.items[next_instance(tuple, class, chosen, first, end, i)];
        choose(tuple, chosen + 1);
    }
}

bool stuck_bounds_each(struct stuck_bounds *bounds, const struct stuck_members *members,
                       uint64_t *steps, stuck_visit *visitor, void *context)
{
    uint32_t order[MEMBERS_MAX];
    struct tuple tuple = {.bounds = bounds,
                          .members = members,
                          .steps_order = order,
                          .steps = steps,
                          .visit = visitor,
                          .context = context};
    for (uint32_t i = 0; i < members->count; i++) {
        uint32_t at = i;
        for (; at && members->classes[order[at - 1]]->instances.count >
                         members->classes[i]->instances.count;
             at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    choose(&tuple, 0);
    return !tuple.ran_out;
}
