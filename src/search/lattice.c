#include "search/lattice.h"

#include "base/array.h"
#include "search/clocks.h"

enum step { STEP_START, STEP_A, STEP_B, STEP_BOTH };

struct cell {
    uint32_t at[2];     /* events done by each thread */
    uint8_t step;       /* how it was reached */
    bool again;         /* a check that depends on the target decided here */
    uint32_t in_row;    /* the next cell with the same at[0], + 1 */
    uint32_t in_column; /* the next cell with the same at[1], + 1 */
};

struct lattice {
    const struct lock_histories *histories;
    const struct search_index *index;
    uint32_t threads[2], start[2], frozen;
    uint32_t ends[2];   /* the target, as numbers of events done */
    uint32_t limits[2]; /* the target's indices in its threads */
    struct cells ARRAY_OF(struct cell) cells;
    struct map known;                               /* pair -> cell + 1 */
    struct first_cells ARRAY_OF(uint32_t) lines[2]; /* by events done: first cell + 1 */
    uint32_t *frozen_held; /* by thread: locks held where it is kept; NULL under strategy I */
    struct stack ARRAY_OF(uint32_t) stack, again;
    uint64_t calls, checks[CHECK_COUNT];
};

/* What a check says: where to go, and whether a later target may change it. */
struct verdict_of_check {
    enum lattice_check check;
    bool success, step_a, step_b, both; /* both: one step of each at once */
    bool depends;
};

static bool is_history_event(const struct search_index *index, const struct event *event)
{
    if (!event_acquires(event) && !event_releases(event))
        return false;
    uint32_t lock = event_lock(event);
    return index->users.start[lock + 1] - index->users.start[lock] > 1;
}

struct lock_histories *lock_histories_create(const struct search_index *index)
{
    const struct history *history = index->history;
    struct lock_histories *histories = NEW(struct lock_histories);
    struct events ARRAY_OF(uint32_t) events = {0};
    histories->index = index;
    histories->start = NEW_ARRAY(uint32_t, history->threads + 1);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        for (uint32_t i = 0; i < history_thread_length(history, thread); i++) {
            uint32_t pos = history_pos(history, thread, i);
            if (is_history_event(index, &history->events[pos]))
                array_push(&events, pos);
        }
        histories->start[thread + 1] = (uint32_t)events.count;
    }
    histories->events = events.items;
    return histories;
}

void lock_histories_destroy(struct lock_histories *histories)
{
    if (!histories)
        return;
    free(histories->start);
    free(histories->events);
    free(histories);
}

uint32_t lock_histories_before(const struct lock_histories *histories, uint32_t thread,
                               uint32_t pos)
{
    uint32_t low = histories->start[thread], high = histories->start[thread + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (histories->events[middle] < pos)
            low = middle + 1;
        else
            high = middle;
    }
    return low - histories->start[thread];
}

/* The locks that all threads hold where the observed run stood at `frozen`. */
static void find_frozen(struct lattice *lattice)
{
    const struct search_index *index = lattice->index;
    const struct history *history = index->history;
    lattice->frozen_held = memory_alloc(history->threads, sizeof *lattice->frozen_held);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t done = 0, length = history_thread_length(history, thread);
        for (uint32_t high = length; done < high;) {
            uint32_t middle = done + (high - done) / 2;
            if (history_pos(history, thread, middle) < lattice->frozen)
                done = middle + 1;
            else
                high = middle;
        }
        lattice->frozen_held[thread] = done < length
                                           ? index_held(index, history_pos(history, thread, done))
                                           : index_held_before(index, thread, UINT32_MAX);
    }
}

struct lattice *lattice_create(const struct lock_histories *histories, const uint32_t threads[2],
                               const uint32_t start[2], uint32_t frozen)
{
    struct lattice *lattice = NEW(struct lattice);
    lattice->histories = histories;
    lattice->index = histories->index;
    lattice->frozen = frozen;
    for (int i = 0; i < 2; i++) {
        lattice->threads[i] = threads[i];
        lattice->start[i] = start[i];
    }
    if (frozen != POS_NONE)
        find_frozen(lattice);
    return lattice;
}

void lattice_destroy(struct lattice *lattice)
{
    if (!lattice)
        return;
    map_free(&lattice->known);
    for (int i = 0; i < 2; i++)
        array_free(&lattice->lines[i]);
    free(lattice->frozen_held);
    array_free(&lattice->cells);
    array_free(&lattice->stack);
    array_free(&lattice->again);
    free(lattice);
}

uint64_t lattice_calls(const struct lattice *lattice)
{
    return lattice->calls;
}

const uint64_t *lattice_checks(const struct lattice *lattice)
{
    return lattice->checks;
}

/* The TLH event that the thread does next at this pair; POS_NONE at the target. */
static uint32_t next_event(const struct lattice *lattice, const uint32_t at[2], int side)
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
    uint32_t event = next_event(lattice, at, side);
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
    uint32_t next = next_event(lattice, at, side), limit = lattice->limits[side];
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

/* The checks of Table III, but for the first. */
static struct verdict_of_check check(const struct lattice *lattice, const uint32_t at[2])
{
    uint32_t a = next_event(lattice, at, 0), b = next_event(lattice, at, 1);
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

/* The first cell, plus one, of those where one thread has done so many events. */
static uint32_t *line_at(struct lattice *lattice, int side, uint32_t done)
{
    uint32_t place = done - lattice->start[side];
    array_grow(&lattice->lines[side], (size_t)place + 1);
    return &lattice->lines[side].items[place];
}

/* Makes the pair known; false if it was visited before. */
static bool visit(struct lattice *lattice, uint32_t a, uint32_t b, enum step step)
{
    bool added;
    uint64_t *cell = map_at(&lattice->known, map_pair(a, b), &added);
    if (!added)
        return false;
    *cell = lattice->cells.count + 1;
    uint32_t *row = line_at(lattice, 0, a), *column = line_at(lattice, 1, b);
    struct cell new_cell = {{a, b}, (uint8_t)step, false, *row, *column};
    *row = *column = (uint32_t)lattice->cells.count + 1;
    array_push(&lattice->stack, (uint32_t)lattice->cells.count);
    array_push(&lattice->cells, new_cell);
    return true;
}

/* Check 1 comes before the call: what is visited is not called again. */
static void go(struct lattice *lattice, uint32_t a, uint32_t b, enum step step)
{
    if (visit(lattice, a, b, step))
        lattice->calls++;
    else
        lattice->checks[CHECK_VISITED]++;
}

/* One call of do_search; true if it stands at the target. */
static bool search_cell(struct lattice *lattice, uint32_t number)
{
    uint32_t at[2] = {lattice->cells.items[number].at[0], lattice->cells.items[number].at[1]};
    struct verdict_of_check verdict = check(lattice, at);
    lattice->checks[verdict.check]++;
    if (verdict.depends && !lattice->cells.items[number].again) {
        lattice->cells.items[number].again = true;
        array_push(&lattice->again, number);
    }
    if (verdict.both)
        go(lattice, at[0] + 1, at[1] + 1, STEP_BOTH);
    /* Of two ways, the observed one is tried first: it is on top of the stack. */
    bool observed_a =
        verdict.step_a && verdict.step_b && next_event(lattice, at, 0) < next_event(lattice, at, 1);
    if (verdict.step_b && observed_a)
        go(lattice, at[0], at[1] + 1, STEP_B);
    if (verdict.step_a)
        go(lattice, at[0] + 1, at[1], STEP_A);
    if (verdict.step_b && !observed_a)
        go(lattice, at[0], at[1] + 1, STEP_B);
    return verdict.success;
}

static bool inside(const struct lattice *lattice, const struct cell *cell)
{
    return cell->at[0] <= lattice->ends[0] && cell->at[1] <= lattice->ends[1];
}

/* Both ways on are known: nothing can change here any more. */
static bool is_settled(const struct lattice *lattice, const struct cell *cell)
{
    return map_find(&lattice->known, map_pair(cell->at[0] + 1, cell->at[1])) &&
           map_find(&lattice->known, map_pair(cell->at[0], cell->at[1] + 1));
}

/* The same on the border of the target's box. */
static uint32_t line_first(const struct lattice *lattice, int side)
{
    uint32_t place = lattice->ends[side] - lattice->start[side];
    return lattice->ends[side] >= lattice->start[side] && place < lattice->lines[side].count
               ? lattice->lines[side].items[place]
               : 0;
}

/* Where the search goes on for another target. */
static void resume(struct lattice *lattice)
{
    size_t kept = 0;
    for (size_t i = 0; i < lattice->again.count; i++) {
        struct cell *cell = &lattice->cells.items[lattice->again.items[i]];
        if (is_settled(lattice, cell)) {
            cell->again = false;
            continue;
        }
        if (inside(lattice, cell))
            array_push(&lattice->stack, lattice->again.items[i]);
        lattice->again.items[kept++] = lattice->again.items[i];
    }
    lattice->again.count = kept;
    for (uint32_t i = line_first(lattice, 0); i; i = lattice->cells.items[i - 1].in_row)
        if (inside(lattice, &lattice->cells.items[i - 1]) && !lattice->cells.items[i - 1].again)
            array_push(&lattice->stack, i - 1);
    for (uint32_t i = line_first(lattice, 1); i; i = lattice->cells.items[i - 1].in_column)
        if (inside(lattice, &lattice->cells.items[i - 1]) && !lattice->cells.items[i - 1].again)
            array_push(&lattice->stack, i - 1);
}

/* What is left on the stack is looked at again for the next target. */
static void keep_stack(struct lattice *lattice)
{
    while (lattice->stack.count) {
        uint32_t number = array_pop(&lattice->stack);
        if (!lattice->cells.items[number].again) {
            lattice->cells.items[number].again = true;
            array_push(&lattice->again, number);
        }
    }
}

static enum search_answer run(struct lattice *lattice, uint64_t limit)
{
    uint64_t end = limit ? lattice->calls + limit : UINT64_MAX;
    while (lattice->stack.count) {
        if (search_cell(lattice, array_pop(&lattice->stack))) {
            keep_stack(lattice);
            return SEARCH_WITNESS;
        }
        if (lattice->calls >= end && lattice->stack.count) {
            keep_stack(lattice);
            return SEARCH_EXHAUSTED;
        }
    }
    return SEARCH_REFUTED;
}

enum search_answer lattice_reach(struct lattice *lattice, const uint32_t targets[2], uint64_t limit)
{
    for (int i = 0; i < 2; i++) {
        lattice->ends[i] =
            lock_histories_before(lattice->histories, lattice->threads[i], targets[i]);
        lattice->limits[i] = lattice->index->history->index[targets[i]];
        if (lattice->ends[i] < lattice->start[i])
            return SEARCH_REFUTED;
    }
    lattice->stack.count = 0;
    if (!lattice->cells.count)
        visit(lattice, lattice->start[0], lattice->start[1], STEP_START);
    else if (map_find(&lattice->known, map_pair(lattice->ends[0], lattice->ends[1])))
        return SEARCH_WITNESS;
    else
        resume(lattice);
    return run(lattice, limit);
}

uint32_t *lattice_path(const struct lattice *lattice, const uint32_t targets[2], uint32_t *length)
{
    struct path ARRAY_OF(uint32_t) path = {0};
    uint32_t at[2];
    const uint32_t *events[2];
    for (int i = 0; i < 2; i++) {
        at[i] = lock_histories_before(lattice->histories, lattice->threads[i], targets[i]);
        events[i] = lattice->histories->events + lattice->histories->start[lattice->threads[i]];
    }
    for (;;) {
        const uint64_t *number = map_find(&lattice->known, map_pair(at[0], at[1]));
        enum step step = lattice->cells.items[*number - 1].step;
        if (step == STEP_START)
            break;
        if (step == STEP_B || step == STEP_BOTH)
            array_push(&path, events[1][--at[1]]);
        if (step == STEP_A || step == STEP_BOTH)
            array_push(&path, events[0][--at[0]]);
    }
    for (size_t i = 0; i < path.count / 2; i++) {
        uint32_t swapped = path.items[i];
        path.items[i] = path.items[path.count - 1 - i];
        path.items[path.count - 1 - i] = swapped;
    }
    *length = (uint32_t)path.count;
    return path.items;
}
