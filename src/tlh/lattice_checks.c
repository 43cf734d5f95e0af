/* SPDX-License-Identifier: MIT */
/* Where to go from a pair: Ganai's Table III. */
#include "search/clocks.h"
#include "tlh/lattice_state.h"

uint32_t lattice_next(const struct lattice *lattice, const uint32_t at[2], int side)
{
    if (at[side] == lattice->ends[side])
        return POS_NONE;
    uint32_t thread = lattice->threads[side];
    return lattice->histories->events[lattice->histories->start[thread] + at[side]];
}

/* The locks a thread holds where it stands. */
static uint32_t held_list(const struct lattice *lattice, const uint32_t at[2], int side)
{
    uint32_t thread = lattice->threads[side];
    uint32_t place = lattice->histories->start[thread] + at[side];
    return place < lattice->histories->start[thread + 1]
               ? index_held(lattice->index, lattice->histories->events[place])
               : index_held_before(lattice->index, thread, UINT32_MAX);
}

static bool list_excludes(const struct search_index *index, uint32_t node, uint32_t event)
{
    const struct event *wanted = event_at(index, event);
    for (; node != HELD_NONE; node = index->nodes[node].next) {
        const struct event *acquire = event_at(index, index->nodes[node].acquire);
        if (event_lock(acquire) == event_lock(wanted) && sections_exclude(acquire, wanted))
            return true;
    }
    return false;
}

/* Does the thread wait for a lock that the other one holds? */
static bool waits(const struct lattice *lattice, const uint32_t at[2], int side)
{
    uint32_t event = lattice_next(lattice, at, side);
    return event != POS_NONE && event_acquires(event_at(lattice->index, event)) &&
           list_excludes(lattice->index, held_list(lattice, at, !side), event);
}

/* Strategy II: a lock that the thread wants is held by a third one for good. */
static bool others_hold(const struct lattice *lattice, uint32_t event)
{
    const struct search_index *index = lattice->index;
    if (event == POS_NONE || lattice->frozen == POS_NONE || !event_acquires(event_at(index, event)))
        return false;
    uint32_t lock = event_lock(event_at(index, event));
    for (uint32_t i = index->users.start[lock]; i < index->users.start[lock + 1]; i++) {
        uint32_t thread = index->users.items[i];
        if (thread != lattice->threads[0] && thread != lattice->threads[1] &&
            list_excludes(index, lattice->frozen_held[thread], event))
            return true;
    }
    return false;
}

/* Does the thread, before its target, leave a section that excludes the one that
 * `event` of the other thread begins? (Readers do not exclude readers.) */
static bool unlocks_later(const struct lattice *lattice, const uint32_t at[2], int side,
                          uint32_t event)
{
    const struct search_index *index = lattice->index;
    const struct history *history = index->history;
    const struct event *acquire = event_at(index, event);
    uint32_t next = lattice_next(lattice, at, side), limit = lattice->limits[side];
    for (int tries = 0; tries < 2; tries++) {
        uint32_t section =
            index_last_section(index, event_lock(acquire), lattice->threads[side], limit, acquire);
        if (section == POS_NONE)
            return false;
        uint32_t release = index->partner[section];
        if (release != POS_NONE && history->index[release] < lattice->limits[side])
            return history->index[release] >= history->index[next];
        limit = history->index[section];
    }
    return false;
}

/* Does the thread leave the section that its next event begins? */
static bool is_left(const struct lattice *lattice, int side, uint32_t event)
{
    uint32_t release = lattice->index->partner[event];
    return release != POS_NONE && lattice->index->history->index[release] < lattice->limits[side];
}

static struct verdict_of_check says(enum lattice_check check, bool step_a, bool step_b,
                                    bool depends)
{
    return (struct verdict_of_check){check, false, step_a, step_b, false, depends};
}

/* Checks 10 to 17: both threads can go on, and have events to do. */
static struct verdict_of_check simplify(const struct lattice *lattice, const uint32_t at[2],
                                        uint32_t a, uint32_t b)
{
    bool lock_a = event_acquires(event_at(lattice->index, a));
    bool lock_b = event_acquires(event_at(lattice->index, b));
    if (lock_a && !lock_b)
        return says(CHECK_RC1, false, true, false);
    if (!lock_a && lock_b)
        return says(CHECK_RC2, true, false, false);
    if (!lock_a)
        return (struct verdict_of_check){CHECK_RC3, false, false, false, true, false};
    bool same = event_lock(event_at(lattice->index, a)) == event_lock(event_at(lattice->index, b));
    if (!same && !unlocks_later(lattice, at, 1, a))
        return says(CHECK_RC4, true, false, true);
    if (!same && !unlocks_later(lattice, at, 0, b))
        return says(CHECK_RC5, false, true, true);
    if (!is_left(lattice, 0, a))
        return says(CHECK_RC6, false, true, true);
    if (!is_left(lattice, 1, b))
        return says(CHECK_RC7, true, false, true);
    return says(CHECK_BOTH, true, true, false);
}

struct verdict_of_check lattice_check(const struct lattice *lattice, const uint32_t at[2])
{
    uint32_t a = lattice_next(lattice, at, 0), b = lattice_next(lattice, at, 1);
    if (a == POS_NONE && b == POS_NONE)
        return (struct verdict_of_check){CHECK_TERMINAL, true, false, false, false, true};
    bool comparable = a != POS_NONE && b != POS_NONE && index_clocks(lattice->index);
    bool a_waits = waits(lattice, at, 0), b_waits = waits(lattice, at, 1);
    /* The paper follows causal order without asking for the locks. */
    if (comparable && clocks_ordered(lattice->index, a, b))
        return says(CHECK_AFTER_A, !a_waits && !others_hold(lattice, a), false, false);
    if (comparable && clocks_ordered(lattice->index, b, a))
        return says(CHECK_AFTER_B, false, !b_waits && !others_hold(lattice, b), false);
    if (a_waits && b_waits)
        return says(CHECK_DEADLOCK, false, false, false);
    if ((a_waits && b == POS_NONE) || (b_waits && a == POS_NONE))
        return says(CHECK_STALL, false, false, true);
    if (a == POS_NONE || a_waits)
        return says(others_hold(lattice, b) ? CHECK_OTHERS : CHECK_A_WAITS, false,
                    !others_hold(lattice, b), a == POS_NONE);
    if (b == POS_NONE || b_waits)
        return says(others_hold(lattice, a) ? CHECK_OTHERS : CHECK_B_WAITS,
                    !others_hold(lattice, a), false, b == POS_NONE);
    bool a_stuck = others_hold(lattice, a), b_stuck = others_hold(lattice, b);
    if (a_stuck || b_stuck)
        return says(CHECK_OTHERS, false, false, true);
    return simplify(lattice, at, a, b);
}
