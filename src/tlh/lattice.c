/* SPDX-License-Identifier: MIT */
#include "tlh/lattice_state.h"

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

/* The first cell, plus one, of those where one thread has done so many events. */
static uint32_t *line_at(struct lattice *lattice, int side, uint32_t done)
{
    uint32_t place = done - lattice->start[side];
    array_grow(&lattice->lines[side], (size_t)place + 1);
    return &lattice->lines[side].items[place];
}

static struct cell *find_cell(const struct lattice *lattice, uint32_t a, uint32_t b)
{
    const uint64_t *cell = map_find(&lattice->known, map_pair(a, b));
    return cell ? &lattice->cells.items[*cell - 1] : NULL;
}

/* A new cell and those around it know of each other. */
static void introduce(struct lattice *lattice, struct cell *cell)
{
    uint32_t a = cell->at[0], b = cell->at[1];
    struct cell *left = a ? find_cell(lattice, a - 1, b) : NULL;
    struct cell *below = b ? find_cell(lattice, a, b - 1) : NULL;
    if (left)
        left->known[0] = true;
    if (below)
        below->known[1] = true;
    cell->known[0] = find_cell(lattice, a + 1, b);
    cell->known[1] = find_cell(lattice, a, b + 1);
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
    struct cell new_cell = {
        .at = {a, b}, .step = (uint8_t)step, .in_row = *row, .in_column = *column};
    *row = *column = (uint32_t)lattice->cells.count + 1;
    array_push(&lattice->stack, (uint32_t)lattice->cells.count);
    array_push(&lattice->cells, new_cell);
    introduce(lattice, &array_last(&lattice->cells));
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

static void look_again(struct lattice *lattice, uint32_t number)
{
    struct cell *cell = &lattice->cells.items[number];
    if (cell->again)
        return;
    cell->again = true;
    array_push(&lattice->again, ((struct again){{cell->at[0], cell->at[1]}, number}));
}

/* One call of do_search; true if it stands at the target. */
static bool search_cell(struct lattice *lattice, uint32_t number)
{
    uint32_t at[2] = {lattice->cells.items[number].at[0], lattice->cells.items[number].at[1]};
    struct verdict_of_check verdict = lattice_check(lattice, at);
    lattice->checks[verdict.check]++;
    if (verdict.depends)
        look_again(lattice, number);
    if (verdict.both)
        go(lattice, at[0] + 1, at[1] + 1, STEP_BOTH);
    /* Of two ways, the observed one is tried first: it is on top of the stack. */
    bool observed_a = verdict.step_a && verdict.step_b &&
                      lattice_next(lattice, at, 0) < lattice_next(lattice, at, 1);
    if (verdict.step_b && observed_a)
        go(lattice, at[0], at[1] + 1, STEP_B);
    if (verdict.step_a)
        go(lattice, at[0] + 1, at[1], STEP_A);
    if (verdict.step_b && !observed_a)
        go(lattice, at[0], at[1] + 1, STEP_B);
    return verdict.success;
}

static bool inside(const struct lattice *lattice, const uint32_t at[2])
{
    return at[0] <= lattice->ends[0] && at[1] <= lattice->ends[1];
}

/* The same on the border of the target's box. */
static uint32_t line_first(const struct lattice *lattice, int side)
{
    uint32_t place = lattice->ends[side] - lattice->start[side];
    return lattice->ends[side] >= lattice->start[side] && place < lattice->lines[side].count
               ? lattice->lines[side].items[place]
               : 0;
}

static void push_border(struct lattice *lattice, uint32_t number)
{
    const struct cell *cell = &lattice->cells.items[number];
    if (inside(lattice, cell->at) && !cell->again)
        array_push(&lattice->stack, number);
}

/* Where the search goes on for another target. */
static void resume(struct lattice *lattice)
{
    size_t kept = 0;
    for (size_t i = 0; i < lattice->again.count; i++) {
        struct again *again = &lattice->again.items[i];
        if (inside(lattice, again->at)) {
            struct cell *cell = &lattice->cells.items[again->cell];
            /* Both ways on are known: nothing can change here any more. */
            cell->again = !cell->known[0] || !cell->known[1];
            if (!cell->again)
                continue;
            array_push(&lattice->stack, again->cell);
        }
        lattice->again.items[kept++] = *again;
    }
    lattice->again.count = kept;
    for (uint32_t i = line_first(lattice, 0); i; i = lattice->cells.items[i - 1].in_row)
        push_border(lattice, i - 1);
    for (uint32_t i = line_first(lattice, 1); i; i = lattice->cells.items[i - 1].in_column)
        push_border(lattice, i - 1);
}

/* What is left on the stack is looked at again for the next target. */
static void keep_stack(struct lattice *lattice)
{
    while (lattice->stack.count)
        look_again(lattice, array_pop(&lattice->stack));
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
