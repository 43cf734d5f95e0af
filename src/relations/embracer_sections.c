/* SPDX-License-Identifier: MIT */
/* Condition 3 of Sadowski's Definition 8: what two sections of a mutex have to do with each
 * other, asked at the release of the later one, and again where an edge that is
 * found late may have changed the answer. */
#include "relations/embracer_state.h"

#include "base/sorted.h"

static struct mutex_history *mutex_at(struct embracer *embracer, uint32_t lock)
{
    array_grow(&embracer->mutexes, lock + 1);
    return &embracer->mutexes.items[lock];
}

/* How many of the user's sections, from `low` on, began before a moment that has
 * seen `tick` of its thread. Mostly one or two more than are known: the search starts
 * there, with steps that double. */
static uint32_t count_seen(const struct user *user, uint32_t low, uint32_t tick)
{
    const struct section_ticks *ticks = user->ticks.items;
    uint32_t high = (uint32_t)user->ticks.count, bound = low;
    for (uint32_t step = 1; bound < high && ticks[bound].acquire < tick; step *= 2) {
        low = bound + 1;
        bound += step;
    }
    high = bound < high ? bound : high;
    return SORTED_POINT(middle, low, high, ticks[middle].acquire < tick);
}

/* No section of the user but the first `seen` began before this tick. */
static uint32_t begin_after(const struct user *user, uint32_t seen)
{
    if (seen < user->ticks.count)
        return user->ticks.items[seen].acquire;
    return seen ? user->ticks.items[seen - 1].release : 0;
}

/* What the edges into the section's acquire start from (16.1): whoever has seen a
 * release's tick knows, once adjusted, all that it knew. */
static bool is_ordered(const struct embracer *embracer, struct epoch release,
                       const struct embracer_section *section, const struct vclock *before)
{
    const struct mutex_history *mutex = &embracer->mutexes.items[section->lock];
    return (before && vclock_saw(before, release)) ||
           (mutex->open == section && vclock_saw(&mutex->acquired, release));
}

/* The sections of a user that began before a moment that has seen `tick` of it: how
 * many, and the release of the last of them. */
static uint32_t sections_seen(const struct mutex_history *mutex, uint32_t number, uint32_t tick,
                              struct settled *settled, uint32_t *release)
{
    const struct user_last *last = &mutex->lasts.items[number];
    uint32_t known = settled ? settled->count : 0, seen = last->count;
    if (last->ticks.acquire < tick) {
        *release = last->ticks.release;
        if (settled)
            *settled = (struct settled){seen, last->ticks.release};
        return seen;
    }
    const struct user *user = &mutex->items[number];
    seen = count_seen(user, known, tick);
    *release = seen ? user->ticks.items[seen - 1].release : 0;
    if (settled)
        *settled = (struct settled){seen, begin_after(user, seen)};
    return seen;
}

/* Condition 3 for one section, whose release has `clock` (adjusted, and adjusted to
 * what is found): true if an edge was added. `settled`, by user, says which sections
 * are known to be before it, and learns; NULL: none is. */
static bool order_sections(struct embracer *embracer, const struct embracer_section *section,
                           struct vclock *clock, struct settled *settled)
{
    const struct mutex_history *mutex = &embracer->mutexes.items[section->lock];
    const struct vclock *before =
        extra_edges_seen(&embracer->extra, section->thread, section->tick + 1);
    bool added = false;
    for (bool again = true; again;) {
        again = false;
        for (size_t i = 0; i < mutex->recent.count; i++) {
            uint32_t number = mutex->recent.items[i], release;
            uint32_t thread = mutex->lasts.items[number].thread, tick = vclock_get(clock, thread);
            struct settled *mine = settled ? &settled[number] : NULL;
            if (thread == section->thread || (mine && tick <= mine->until))
                continue;
            uint32_t known = mine ? mine->count : 0;
            uint32_t seen = sections_seen(mutex, number, tick, mine, &release);
            if (seen == known ||
                is_ordered(embracer, (struct epoch){thread, release}, section, before))
                continue;
            const struct vclock *from = &mutex->items[number].sections.items[seen - 1]->at_release;
            extra_edges_add(&embracer->extra, section->thread, section->tick, from);
            before = extra_edges_seen(&embracer->extra, section->thread, section->tick + 1);
            again |= extra_edges_join(&embracer->extra, clock, from);
            added = true;
        }
    }
    return added;
}

/* There are new edges into the section's acquire: all that have seen it learn. */
static void spread(struct embracer *embracer, const struct embracer_section *section)
{
    const struct vclock *before =
        extra_edges_seen(&embracer->extra, section->thread, section->tick + 1);
    for (uint32_t thread = 0; thread < embracer->threads.count; thread++) {
        struct vclock *clock = &embracer->threads.items[thread];
        if (vclock_get(clock, section->thread) > section->tick)
            extra_edges_join(&embracer->extra, clock, before);
    }
    for (size_t i = section->ended_before; i < embracer->ended.count; i++) {
        struct embracer_section *ended = embracer->ended.items[i];
        if (vclock_get(&ended->at_release, section->thread) > section->tick &&
            extra_edges_join(&embracer->extra, &ended->at_release, before))
            array_push(&embracer->to_ask, ended);
    }
}

static void ask_again(struct embracer *embracer)
{
    while (embracer->to_ask.count) {
        struct embracer_section *section = array_pop(&embracer->to_ask);
        if (order_sections(embracer, section, &section->at_release, NULL))
            spread(embracer, section);
    }
}

void embracer_acquire(struct embracer *embracer, const struct event *event, struct vclock *clock)
{
    struct mutex_history *mutex = mutex_at(embracer, event_lock(event));
    struct embracer_section *section = arena_alloc(&embracer->arena, sizeof *section);
    *section = (struct embracer_section){
        .thread = event->thread,
        .lock = event_lock(event),
        .tick = vclock_get(clock, event->thread),
        .ended_before = (uint32_t)embracer->ended.count,
    };
    vclock_copy(&mutex->acquired, clock);
    mutex->open = section;
    embracer->open_count++;
    embracer_advance(clock, event->thread);
}

static struct user *user_of(struct mutex_history *mutex, uint32_t thread)
{
    for (size_t i = 0; i < mutex->count; i++)
        if (mutex->lasts.items[i].thread == thread)
            return &mutex->items[i];
    struct user user = {.thread = thread};
    array_push(&mutex->recent, (uint32_t)mutex->count);
    struct user_last last = {.thread = thread};
    array_push(&mutex->lasts, last);
    array_push(mutex, user);
    return &array_last(mutex);
}

static void move_to_front(struct mutex_history *mutex, uint32_t number)
{
    size_t at = 0;
    while (mutex->recent.items[at] != number)
        at++;
    memmove(mutex->recent.items + 1, mutex->recent.items, at * sizeof number);
    mutex->recent.items[0] = number;
}

void embracer_release(struct embracer *embracer, uint32_t lock, struct vclock *clock)
{
    struct mutex_history *mutex = mutex_at(embracer, lock);
    struct embracer_section *section = mutex->open;
    if (!section)
        return;
    struct user *user = user_of(mutex, section->thread);
    array_grow(&user->settled, mutex->count);
    bool added = order_sections(embracer, section, clock, user->settled.items);
    mutex->open = NULL;
    embracer->open_count--;
    vclock_copy(&section->at_release, clock);
    if (added)
        spread(embracer, section);
    array_push(&embracer->ended, section);
    array_push(&user->sections, section);
    struct section_ticks ticks = {section->tick, vclock_get(clock, section->thread)};
    array_push(&user->ticks, ticks);
    struct user_last *last = &mutex->lasts.items[user - mutex->items];
    last->count++;
    last->ticks = ticks;
    move_to_front(mutex, (uint32_t)(user - mutex->items));
    ask_again(embracer);
}
