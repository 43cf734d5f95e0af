/* SPDX-License-Identifier: MIT */
#include "constraints/smt_encode.h"

#include "base/sorted.h"

bool smt_is_possible(const struct smt_encoding *encoding, uint32_t pos)
{
    const struct history *history = encoding->window->history;
    return pos != POS_NONE && history->index[pos] < encoding->needed[history->events[pos].thread];
}

/* The place in the thread's used events of the first one from `index` on. */
static size_t used_from(const struct smt_encoding *encoding, uint32_t thread, uint32_t index)
{
    const struct smt_positions *used = &encoding->used[thread];
    return SORTED_POINT(middle, 0, used->count,
                        encoding->window->history->index[used->items[middle]] < index);
}

static void use(struct smt_encoding *encoding, uint32_t pos)
{
    bool *is_used = &encoding->is_used[pos - encoding->window->start];
    if (*is_used)
        return;
    const struct history *history = encoding->window->history;
    uint32_t thread = history->events[pos].thread;
    struct smt_positions *used = &encoding->used[thread];
    size_t place = used_from(encoding, thread, history->index[pos]);
    array_push(used, pos);
    memmove(used->items + place + 1, used->items + place,
            (used->count - 1 - place) * sizeof *used->items);
    used->items[place] = pos;
    *is_used = true;
    array_push(&encoding->fresh, pos);
}

smt_ref smt_is_executed(struct smt_encoding *encoding, uint32_t pos)
{
    if (!smt_is_possible(encoding, pos))
        return SMT_REF_FALSE;
    if (pos < encoding->window->start)
        return SMT_REF_TRUE;
    use(encoding, pos);
    return smt_executed(&encoding->formula, pos);
}

smt_ref smt_is_before(struct smt_encoding *encoding, uint32_t a, uint32_t b)
{
    const struct smt_window *window = encoding->window;
    if (a == b || smt_must(window, b, a))
        return SMT_REF_FALSE;
    if (smt_must(window, a, b))
        return SMT_REF_TRUE;
    use(encoding, a);
    use(encoding, b);
    return smt_before(&encoding->formula, a, b);
}

smt_ref smt_is_executed_before(struct smt_encoding *encoding, uint32_t a, uint32_t b)
{
    if (!smt_is_possible(encoding, a))
        return SMT_REF_FALSE;
    smt_ref before = smt_is_before(encoding, a, b);
    if (before == SMT_REF_FALSE)
        return SMT_REF_FALSE;
    return SMT_AND_OF(&encoding->formula, smt_is_executed(encoding, a), before);
}

smt_ref smt_is_handed_over(struct smt_encoding *encoding, uint32_t release, uint32_t acquire)
{
    bool added;
    if (release == POS_NONE)
        return SMT_REF_FALSE;
    uint64_t *place = map_at(&encoding->handovers, map_pair(release, acquire), &added);
    if (added)
        *place = smt_is_executed_before(encoding, release, acquire);
    return (smt_ref)*place;
}

smt_ref smt_is_access_before(struct smt_encoding *encoding, uint32_t a, uint32_t b)
{
    const struct smt_window *window = encoding->window;
    uint32_t first, second;
    if (encoding->style == SMT_EQUATIONS || smt_must(window, a, b) || smt_must(window, b, a) ||
        !smt_excluded(window, a, b, &first, &second))
        return smt_is_before(encoding, a, b);
    return smt_is_handed_over(encoding, window->sections.items[first].release,
                              window->sections.items[second].acquire);
}

void smt_require(struct smt_encoding *encoding, uint32_t event, smt_ref formula)
{
    if (formula == SMT_REF_TRUE)
        return;
    smt_ref guarded = formula;
    if (event != POS_NONE) {
        smt_ref idle = smt_not(&encoding->formula, smt_is_executed(encoding, event));
        guarded = SMT_OR_OF(&encoding->formula, idle, formula);
    }
    if (guarded != SMT_REF_TRUE)
        array_push(&encoding->constraints,
                   ((struct smt_constraint){formula, guarded, event,
                                            event != POS_NONE ? event : encoding->about,
                                            encoding->about_order}));
}

bool smt_is_new(struct smt_encoding *encoding, enum smt_said what, uint32_t a, uint32_t b)
{
    bool added;
    map_at(&encoding->said[what], map_pair(a, b), &added);
    return added;
}

/* What must come first must be executed first. */
static void encode_edge(struct smt_encoding *encoding, uint32_t from, uint32_t to)
{
    smt_ref first = smt_is_executed(encoding, from);
    encoding->about_order = true;
    if (first != SMT_REF_FALSE) {
        use(encoding, to);
        encoding->about = to;
        smt_require(encoding, POS_NONE, smt_before(&encoding->formula, from, to));
        encoding->about = POS_NONE;
    }
    smt_require(encoding, to, first);
    encoding->about_order = false;
}

/* The last used event of `thread` before `index`, or POS_NONE. */
static uint32_t used_before(const struct smt_encoding *encoding, uint32_t thread, uint32_t index)
{
    size_t place = used_from(encoding, thread, index);
    return place ? encoding->used[thread].items[place - 1] : POS_NONE;
}

/* The first used event of `thread` that must come after `pos`, or POS_NONE. What comes
 * after it in its thread must do so too. */
static uint32_t used_after(const struct smt_encoding *encoding, uint32_t thread, uint32_t pos)
{
    const struct smt_positions *used = &encoding->used[thread];
    size_t low =
        SORTED_POINT(middle, 0, used->count, !smt_must(encoding->window, pos, used->items[middle]));
    return low < used->count ? used->items[low] : POS_NONE;
}

/* To and from the nearest used events of every thread; what lies further away is
 * ordered through them. An event that needs more than may be executed cannot be. */
static void encode_orders_of(struct smt_encoding *encoding, uint32_t pos)
{
    const struct smt_window *window = encoding->window;
    const struct history *history = window->history;
    uint32_t own = history->events[pos].thread, index = history->index[pos];
    uint32_t before = used_before(encoding, own, index), after = used_after(encoding, own, pos);
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        if (smt_must_count(window, pos, thread) > encoding->needed[thread])
            smt_require(encoding, pos, SMT_REF_FALSE);
        uint32_t from = thread == own
                            ? before
                            : used_before(encoding, thread, smt_must_count(window, pos, thread));
        uint32_t to = thread == own ? after : used_after(encoding, thread, pos);
        if (from != POS_NONE &&
            (thread == own || before == POS_NONE || !smt_must(window, from, before)))
            encode_edge(encoding, from, pos);
        if (to != POS_NONE &&
            (thread == own || after == POS_NONE || !smt_must(window, after, to)) &&
            !encoding->is_fresh[to - window->start])
            encode_edge(encoding, pos, to);
    }
}

void smt_encode_orders(struct smt_encoding *encoding)
{
    const struct smt_positions *fresh = &encoding->fresh;
    for (size_t i = 0; i < fresh->count; i++)
        encoding->is_fresh[fresh->items[i] - encoding->window->start] = true;
    for (size_t i = 0; i < fresh->count; i++)
        encode_orders_of(encoding, fresh->items[i]);
    for (size_t i = 0; i < fresh->count; i++)
        encoding->is_fresh[fresh->items[i] - encoding->window->start] = false;
    encoding->fresh.count = 0;
}

struct smt_encoding *smt_encode_begin(const struct smt_window *window, const uint32_t *needed,
                                      enum smt_style style)
{
    struct smt_encoding *encoding = NEW(struct smt_encoding);
    uint32_t threads = window->history->threads;
    encoding->window = window;
    encoding->style = style;
    encoding->needed = memory_copy(needed, threads * sizeof *needed);
    encoding->is_used = NEW_ARRAY(bool, window->end - window->start);
    encoding->is_fresh = NEW_ARRAY(bool, window->end - window->start);
    encoding->used = NEW_ARRAY(struct smt_positions, threads);
    encoding->marks = NEW_ARRAY(uint32_t, threads);
    encoding->latest = NEW_ARRAY(uint32_t, threads);
    encoding->about = POS_NONE;
    encoding->condition_uses =
        NEW_ARRAY(struct smt_uses, trace_count(window->history->trace, CLASS_CONDITION));
    encoding->semaphore_uses =
        NEW_ARRAY(struct smt_uses, trace_count(window->history->trace, CLASS_SEMAPHORE));
    smt_formula_init(&encoding->formula);
    return encoding;
}

struct smt_encoding *smt_encode(const struct smt_window *window, const uint32_t *needed,
                                enum smt_style style)
{
    struct smt_encoding *encoding = smt_encode_begin(window, needed, style);
    smt_encode_memory(encoding);
    for (uint32_t lock = 0; lock < trace_count(window->history->trace, CLASS_LOCK); lock++)
        if (style == SMT_SECTIONS)
            smt_encode_lock(encoding, lock);
        else
            smt_encode_lock_equations(encoding, lock);
    smt_encode_conditions(encoding);
    smt_encode_semaphores(encoding);
    smt_encode_orders(encoding);
    return encoding;
}

void smt_encoding_destroy(struct smt_encoding *encoding)
{
    if (!encoding)
        return;
    for (uint32_t thread = 0; thread < encoding->window->history->threads; thread++)
        array_free(&encoding->used[thread]);
    const struct trace *trace = encoding->window->history->trace;
    for (uint32_t i = 0; i < trace_count(trace, CLASS_CONDITION); i++)
        array_free(&encoding->condition_uses[i]);
    for (uint32_t i = 0; i < trace_count(trace, CLASS_SEMAPHORE); i++)
        array_free(&encoding->semaphore_uses[i]);
    free(encoding->condition_uses);
    free(encoding->semaphore_uses);
    array_free(&encoding->sources);
    map_free(&encoding->sources_of);
    for (int i = 0; i < SMT_SAID_COUNT; i++)
        map_free(&encoding->said[i]);
    free(encoding->used);
    free(encoding->needed);
    smt_formula_free(&encoding->formula);
    map_free(&encoding->handovers);
    map_free(&encoding->covered);
    array_free(&encoding->constraints);
    array_free(&encoding->fresh);
    free(encoding->is_used);
    free(encoding->is_fresh);
    free(encoding->marks);
    free(encoding->latest);
    free(encoding);
}

static void assume(struct smt_encoding *encoding, uint32_t pos, bool executed,
                   struct smt_refs *assumptions)
{
    smt_ref literal = smt_is_executed(encoding, pos);
    if (!executed)
        literal = smt_not(&encoding->formula, literal);
    if (literal != SMT_REF_TRUE)
        array_push(assumptions, literal);
}

/* The event before it is executed; without one in the window, its thread's fork. */
static void assume_next(struct smt_encoding *encoding, uint32_t pos, struct smt_refs *assumptions)
{
    const struct smt_window *window = encoding->window;
    const struct history *history = window->history;
    uint32_t thread = history->events[pos].thread, index = history->index[pos];
    if (index > window->baseline[thread])
        assume(encoding, history_pos(history, thread, index - 1), true, assumptions);
    else if (history->fork_of[thread] != POS_NONE)
        assume(encoding, history->fork_of[thread], true, assumptions);
    assume(encoding, pos, false, assumptions);
}

static bool assume_order(struct smt_encoding *encoding, const struct smt_edge *order,
                         struct smt_refs *assumptions)
{
    smt_ref before = smt_is_before(encoding, order->from, order->to);
    assume(encoding, order->from, true, assumptions);
    assume(encoding, order->to, true, assumptions);
    if (before != SMT_REF_TRUE)
        array_push(assumptions, before);
    return before != SMT_REF_FALSE;
}

bool smt_assume(struct smt_encoding *encoding, const struct smt_goal *goal,
                struct smt_refs *assumptions)
{
    bool possible = true;
    for (uint32_t i = 0; i < goal->order_count; i++)
        possible &= assume_order(encoding, &goal->orders[i], assumptions);
    for (uint32_t i = 0; i < goal->executed_count; i++)
        assume(encoding, goal->executed[i], true, assumptions);
    for (uint32_t i = 0; i < goal->next_count; i++)
        assume_next(encoding, goal->next[i], assumptions);
    if (goal->unordered) {
        encoding->unordered = smt_choice(&encoding->formula);
        array_push(assumptions, encoding->unordered);
    }
    smt_encode_orders(encoding);
    return possible;
}
