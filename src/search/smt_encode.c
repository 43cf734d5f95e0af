#include "search/smt_encode.h"

bool smt_is_possible(const struct smt_encoding *encoding, uint32_t pos)
{
    const struct history *history = encoding->window->history;
    return pos != POS_NONE && history->index[pos] < encoding->needed[history->events[pos].thread];
}

static void use(struct smt_encoding *encoding, uint32_t pos)
{
    encoding->is_used[pos - encoding->window->start] = true;
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
                                            event != POS_NONE ? event : encoding->about}));
}

static bool in_cone(const struct smt_encoding *encoding, uint32_t pos, const uint32_t *cone)
{
    const struct history *history = encoding->window->history;
    return history->index[pos] < cone[history->events[pos].thread];
}

bool smt_is_relevant(const struct smt_encoding *encoding, const struct smt_constraint *constraint,
                     const uint32_t *cone)
{
    const struct smt_node *nodes = encoding->formula.nodes.items;
    if (constraint->about != POS_NONE && !in_cone(encoding, constraint->about, cone))
        return false;
    const struct smt_node *node = &nodes[constraint->guarded];
    for (uint32_t i = 0; node->kind == SMT_OR && i < node->b; i++) {
        const struct smt_node *child = &nodes[encoding->formula.children.items[node->a + i]];
        if (child->kind == SMT_NOT && nodes[child->a].kind == SMT_EXECUTED &&
            !in_cone(encoding, nodes[child->a].a, cone))
            return false;
    }
    return true;
}

/* What must come first must be executed first. */
static void encode_edge(struct smt_encoding *encoding, uint32_t from, uint32_t to)
{
    smt_ref first = smt_is_executed(encoding, from);
    if (first != SMT_REF_FALSE) {
        use(encoding, to);
        encoding->about = to;
        smt_require(encoding, POS_NONE, smt_before(&encoding->formula, from, to));
        encoding->about = POS_NONE;
    }
    smt_require(encoding, to, first);
}

static void encode_edges(struct smt_encoding *encoding)
{
    const struct smt_window *window = encoding->window;
    for (size_t i = 0; i < window->edges.count; i++)
        if (smt_is_possible(encoding, window->edges.items[i].to))
            encode_edge(encoding, window->edges.items[i].from, window->edges.items[i].to);
    for (uint32_t pos = window->start; pos < window->end; pos++)
        if (window->history->events[pos].op == EVENT_FORK && smt_is_possible(encoding, pos))
            use(encoding, pos); /* a pair may ask for it, if its thread has done nothing yet */
}

/* Last, when it is known which events the rest speaks of. */
static void encode_program_order(struct smt_encoding *encoding)
{
    const struct smt_window *window = encoding->window;
    const struct history *history = window->history;
    uint32_t count = 0;
    for (uint32_t pos = window->start; pos < window->end; pos++)
        count += encoding->is_used[pos - window->start];
    encoding->used = memory_alloc(count, sizeof *encoding->used);
    count = 0;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        encoding->used_offset[thread] = count;
        for (uint32_t index = window->baseline[thread]; index < window->length[thread]; index++) {
            uint32_t pos = history_pos(history, thread, index);
            if (encoding->is_used[pos - window->start])
                encoding->used[count++] = pos;
        }
        for (uint32_t i = encoding->used_offset[thread] + 1; i < count; i++)
            encode_edge(encoding, encoding->used[i - 1], encoding->used[i]);
    }
    encoding->used_offset[history->threads] = count;
}

struct smt_encoding *smt_encode(const struct smt_window *window, const uint32_t *needed,
                                enum smt_style style)
{
    struct smt_encoding *encoding = NEW(struct smt_encoding);
    uint32_t threads = window->history->threads;
    encoding->window = window;
    encoding->style = style;
    encoding->needed = memory_copy(needed, threads * sizeof *needed);
    encoding->is_used = NEW_ARRAY(bool, window->end - window->start);
    encoding->used_offset = NEW_ARRAY(uint32_t, threads + 1);
    encoding->marks = NEW_ARRAY(uint32_t, threads);
    encoding->about = POS_NONE;
    smt_formula_init(&encoding->formula);
    encode_edges(encoding);
    smt_encode_memory(encoding);
    for (uint32_t lock = 0; lock < trace_count(window->history->trace, CLASS_LOCK); lock++)
        if (style == SMT_SECTIONS)
            smt_encode_lock(encoding, lock);
        else
            smt_encode_lock_equations(encoding, lock);
    smt_encode_conditions(encoding);
    smt_encode_semaphores(encoding);
    encode_program_order(encoding);
    return encoding;
}

void smt_encoding_destroy(struct smt_encoding *encoding)
{
    if (!encoding)
        return;
    free(encoding->needed);
    smt_formula_free(&encoding->formula);
    map_free(&encoding->handovers);
    map_free(&encoding->covered);
    array_free(&encoding->constraints);
    free(encoding->used);
    free(encoding->used_offset);
    free(encoding->is_used);
    free(encoding->marks);
    free(encoding);
}

/* The place in `used` of the thread's first event from `index` on. */
static uint32_t used_from(const struct smt_encoding *encoding, uint32_t thread, uint32_t index)
{
    uint32_t low = encoding->used_offset[thread], high = encoding->used_offset[thread + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (encoding->window->history->index[encoding->used[middle]] < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t smt_used_before(const struct smt_encoding *encoding, uint32_t pos)
{
    const struct history *history = encoding->window->history;
    uint32_t thread = history->events[pos].thread;
    uint32_t place = used_from(encoding, thread, history->index[pos]);
    return place > encoding->used_offset[thread] ? encoding->used[place - 1] : POS_NONE;
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

static void assume_next(struct smt_encoding *encoding, uint32_t pos, struct smt_refs *assumptions)
{
    const struct history *history = encoding->window->history;
    uint32_t thread = history->events[pos].thread, index = history->index[pos];
    uint32_t place = used_from(encoding, thread, index);
    if (place > encoding->used_offset[thread])
        assume(encoding, encoding->used[place - 1], true, assumptions);
    else if (history->fork_of[thread] != POS_NONE)
        assume(encoding, history->fork_of[thread], true, assumptions);
}

void smt_assume_race(struct smt_encoding *encoding, uint32_t first, uint32_t second,
                     const uint32_t *cone, struct smt_refs *assumptions)
{
    const struct smt_window *window = encoding->window;
    assume_next(encoding, first, assumptions);
    assume_next(encoding, second, assumptions);
    for (uint32_t thread = 0; thread < window->history->threads; thread++) {
        uint32_t place = used_from(encoding, thread, cone[thread]);
        if (place < encoding->used_offset[thread + 1])
            assume(encoding, encoding->used[place], false, assumptions);
    }
}
