#include "search/smt_propagate.h"

/* Orders that were found, beside the must-order. More of them go unnoticed, which
 * loses conclusions and nothing else. */
#define ORDERS_MAX 64

/* Plans that may be tried between two choices. */
#define ROUNDS_MAX 1000

enum truth { OPEN, TRUE, FALSE };

struct truths ARRAY_OF(uint8_t);

/* What a choice may change. */
struct state {
    uint32_t *prefix, *limit;
    uint64_t after[ORDERS_MAX];
    size_t orders;
    struct truths choices;
};

struct smt_propagation {
    const struct smt_window *window;
    const struct smt_encoding *encoding;
    struct smt_encoding *writable; /* the same, for trials */
    uint32_t *limit;               /* by thread: index of the first event that cannot be executed */
    uint64_t after[ORDERS_MAX];    /* orders that each one leads to, itself included */
    struct truths choices;
    struct smt_plan plan; /* prefixes are closed under the must-order */
    bool changed;
    bool holds;                   /* what make_true() was last asked for is true now */
    struct smt_positions settled; /* by constraint: depth at which it held, plus one; 0: not yet */
    struct smt_trial *trial;
    uint32_t pair[2];
    uint32_t choices_left;
    struct saved ARRAY_OF(struct state) saved; /* by depth */
    size_t depth;
};

struct smt_propagation *smt_propagation_create(const struct smt_window *window)
{
    struct smt_propagation *self = NEW(struct smt_propagation);
    self->window = window;
    self->limit = NEW_ARRAY(uint32_t, window->history->threads);
    self->plan.prefix = NEW_ARRAY(uint32_t, window->history->threads);
    return self;
}

void smt_propagation_destroy(struct smt_propagation *self)
{
    if (!self)
        return;
    free(self->limit);
    free(self->plan.prefix);
    array_free(&self->plan.orders);
    array_free(&self->plan.choices);
    array_free(&self->choices);
    for (size_t i = 0; i < self->saved.count; i++) {
        free(self->saved.items[i].prefix);
        free(self->saved.items[i].limit);
        array_free(&self->saved.items[i].choices);
    }
    array_free(&self->saved);
    array_free(&self->settled);
    free(self);
}

static bool must_or_same(const struct smt_window *window, uint32_t a, uint32_t b)
{
    return a == b || smt_must(window, a, b);
}

static bool leads_to(const struct smt_propagation *self, uint32_t a, uint32_t b)
{
    if (smt_must(self->window, a, b))
        return true;
    uint64_t reached = 0;
    const struct smt_edges *orders = &self->plan.orders;
    for (size_t i = 0; i < orders->count; i++)
        if (must_or_same(self->window, a, orders->items[i].from))
            reached |= self->after[i];
    for (size_t i = 0; i < orders->count; i++)
        if (reached >> i & 1 && must_or_same(self->window, orders->items[i].to, b))
            return true;
    return false;
}

static enum truth is_executed(const struct smt_propagation *self, uint32_t pos)
{
    const struct smt_window *window = self->window;
    const struct history *history = window->history;
    if (history->index[pos] < self->plan.prefix[history->events[pos].thread])
        return TRUE;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        if (smt_must_count(window, pos, thread) > self->limit[thread])
            return FALSE;
    return OPEN;
}

static enum truth negated(enum truth truth)
{
    return truth == OPEN ? OPEN : truth == TRUE ? FALSE : TRUE;
}

static enum truth value_of(const struct smt_propagation *self, smt_ref ref)
{
    const struct smt_formula *formula = &self->encoding->formula;
    const struct smt_node *node = &formula->nodes.items[ref];
    enum truth decides = node->kind == SMT_AND ? FALSE : TRUE, result = negated(decides);
    switch (node->kind) {
    case SMT_FALSE:
        return FALSE;
    case SMT_TRUE:
        return TRUE;
    case SMT_BEFORE:
        return leads_to(self, node->a, node->b)   ? TRUE
               : leads_to(self, node->b, node->a) ? FALSE
                                                  : OPEN;
    case SMT_EXECUTED:
        return is_executed(self, node->a);
    case SMT_CHOICE:
        return node->a < self->choices.count ? self->choices.items[node->a] : OPEN;
    case SMT_NOT:
        return negated(value_of(self, node->a));
    case SMT_AND:
    case SMT_OR:
        for (uint32_t i = 0; i < node->b; i++) {
            enum truth one = value_of(self, formula->children.items[node->a + i]);
            if (one == decides)
                return decides;
            if (one == OPEN)
                result = OPEN;
        }
    }
    return result;
}

static bool make_order(struct smt_propagation *self, uint32_t from, uint32_t to)
{
    struct smt_edges *orders = &self->plan.orders;
    if (leads_to(self, to, from) || from == to)
        return false;
    if (leads_to(self, from, to))
        return true;
    if (orders->count == ORDERS_MAX) {
        self->holds = false;
        return true;
    }
    uint64_t mine = UINT64_C(1) << orders->count, reached = mine;
    for (size_t i = 0; i < orders->count; i++)
        if (must_or_same(self->window, to, orders->items[i].from))
            reached |= self->after[i];
    for (size_t i = 0; i < orders->count; i++) {
        bool leads = false;
        for (size_t k = 0; k < orders->count && !leads; k++)
            leads =
                self->after[i] >> k & 1 && must_or_same(self->window, orders->items[k].to, from);
        if (leads)
            self->after[i] |= reached;
    }
    self->after[orders->count] = reached;
    array_push(orders, ((struct smt_edge){from, to}));
    self->changed = true;
    return true;
}

static bool make_executed(struct smt_propagation *self, uint32_t pos)
{
    const struct smt_window *window = self->window;
    const struct history *history = window->history;
    if (history->index[pos] < self->plan.prefix[history->events[pos].thread])
        return true;
    self->changed = true;
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        uint32_t count = smt_must_count(window, pos, thread);
        if (count > self->limit[thread])
            return false;
        if (count > self->plan.prefix[thread])
            self->plan.prefix[thread] = count;
    }
    return true;
}

static bool make_idle(struct smt_propagation *self, uint32_t pos)
{
    const struct history *history = self->window->history;
    uint32_t thread = history->events[pos].thread, index = history->index[pos];
    if (index < self->limit[thread]) {
        self->limit[thread] = index;
        self->changed = true;
    }
    return self->plan.prefix[thread] <= index;
}

static bool make_choice(struct smt_propagation *self, uint32_t number, enum truth truth)
{
    array_grow(&self->choices, self->encoding->formula.choices);
    uint8_t *place = &self->choices.items[number];
    if (*place == OPEN) {
        *place = (uint8_t)truth;
        self->changed = true;
    }
    return *place == truth;
}

static bool make_true(struct smt_propagation *self, smt_ref ref);

/* A disjunction with one way left. */
static bool make_last_way(struct smt_propagation *self, const struct smt_node *node)
{
    const struct smt_formula *formula = &self->encoding->formula;
    smt_ref way = SMT_REF_FALSE;
    for (uint32_t i = 0; i < node->b; i++) {
        smt_ref child = formula->children.items[node->a + i];
        enum truth truth = value_of(self, child);
        if (truth == TRUE)
            return true;
        if (truth == OPEN && way != SMT_REF_FALSE) {
            self->holds = false;
            return true;
        }
        if (truth == OPEN)
            way = child;
    }
    return make_true(self, way);
}

static bool make_true(struct smt_propagation *self, smt_ref ref)
{
    const struct smt_formula *formula = &self->encoding->formula;
    const struct smt_node *node = &formula->nodes.items[ref];
    switch (node->kind) {
    case SMT_FALSE:
        return false;
    case SMT_TRUE:
        return true;
    case SMT_BEFORE:
        return make_order(self, node->a, node->b);
    case SMT_EXECUTED:
        return make_executed(self, node->a);
    case SMT_CHOICE:
        return make_choice(self, node->a, TRUE);
    case SMT_NOT: {
        const struct smt_node *of = &formula->nodes.items[node->a];
        return of->kind == SMT_EXECUTED ? make_idle(self, of->a) : make_choice(self, of->a, FALSE);
    }
    case SMT_AND:
        for (uint32_t i = 0; i < node->b; i++)
            if (!make_true(self, formula->children.items[node->a + i]))
                return false;
        return true;
    case SMT_OR:
        return make_last_way(self, node);
    }
    return true;
}

/* Those whose event need not be executed so far wait until it must. */
static bool matters(const struct smt_propagation *self, const struct smt_constraint *constraint)
{
    const struct history *history = self->window->history;
    uint32_t pos = constraint->about;
    return pos == POS_NONE || history->index[pos] < self->plan.prefix[history->events[pos].thread];
}

static bool start(struct smt_propagation *self)
{
    const uint32_t *pair = self->pair;
    const struct smt_window *window = self->window;
    const struct history *history = window->history;
    size_t bytes = history->threads * sizeof *self->limit;
    memcpy(self->limit, window->length, bytes);
    memcpy(self->plan.prefix, window->baseline, bytes);
    self->plan.orders.count = 0;
    self->choices.count = 0;
    self->settled.count = 0;
    for (int i = 0; i < 2; i++)
        self->limit[history->events[pair[i]].thread] = history->index[pair[i]];
    for (int i = 0; i < 2; i++) {
        uint32_t thread = history->events[pair[i]].thread, index = history->index[pair[i]];
        uint32_t before = index > window->baseline[thread] ? history_pos(history, thread, index - 1)
                                                           : history->fork_of[thread];
        if (before != POS_NONE && before >= window->start && !make_executed(self, before))
            return false;
    }
    return true;
}

/* False if a constraint has no way left. What holds at some depth holds below it. The
 * must-order is known here by heart. */
static bool propagate(struct smt_propagation *self)
{
    const struct smt_constraints *constraints = &self->encoding->constraints;
    array_grow(&self->settled, constraints->count);
    do {
        self->changed = false;
        for (size_t i = 0; i < constraints->count; i++) {
            const struct smt_constraint *constraint = &constraints->items[i];
            if (self->settled.items[i] || constraint->is_order || !matters(self, constraint))
                continue;
            self->holds = true;
            if (!make_true(self, constraint->guarded))
                return false;
            if (self->holds)
                self->settled.items[i] = (uint32_t)self->depth + 1;
        }
    } while (self->changed);
    return true;
}

static enum smt_outcome try_plan(struct smt_propagation *self)
{
    uint32_t choices = self->encoding->formula.choices;
    array_grow(&self->plan.choices, choices);
    for (uint32_t i = 0; i < choices; i++)
        self->plan.choices.items[i] = i < self->choices.count && self->choices.items[i] == TRUE;
    return smt_trial_run(self->trial, self->writable, &self->plan, self->pair);
}

/* A disjunction that is open, of what the last trial broke if there is one. */
static const struct smt_node *find_open(const struct smt_propagation *self)
{
    const struct smt_encoding *encoding = self->encoding;
    const struct smt_node *found = NULL;
    uint32_t broken = smt_trial_broken_at(self->trial);
    for (size_t i = 0; i < encoding->constraints.count; i++) {
        const struct smt_constraint *constraint = &encoding->constraints.items[i];
        const struct smt_node *node = &encoding->formula.nodes.items[constraint->guarded];
        if (self->settled.items[i] || node->kind != SMT_OR ||
            (found && constraint->about != broken) || !matters(self, constraint) ||
            value_of(self, constraint->guarded) != OPEN)
            continue;
        found = node;
        if (constraint->about == broken)
            break;
    }
    return found;
}

static void save(struct smt_propagation *self)
{
    uint32_t threads = self->window->history->threads;
    if (self->depth == self->saved.count) {
        struct state state = {.prefix = NEW_ARRAY(uint32_t, threads),
                              .limit = NEW_ARRAY(uint32_t, threads)};
        array_push(&self->saved, state);
    }
    struct state *state = &self->saved.items[self->depth++];
    memcpy(state->prefix, self->plan.prefix, threads * sizeof *state->prefix);
    memcpy(state->limit, self->limit, threads * sizeof *state->limit);
    memcpy(state->after, self->after, sizeof state->after);
    state->orders = self->plan.orders.count;
    state->choices.count = 0;
    array_grow(&state->choices, self->choices.count);
    if (self->choices.count)
        memcpy(state->choices.items, self->choices.items, self->choices.count);
}

/* Back to what was saved at this depth, which stays saved. */
static void restore(struct smt_propagation *self, size_t depth)
{
    const struct state *state = &self->saved.items[depth];
    uint32_t threads = self->window->history->threads;
    memcpy(self->plan.prefix, state->prefix, threads * sizeof *state->prefix);
    memcpy(self->limit, state->limit, threads * sizeof *state->limit);
    memcpy(self->after, state->after, sizeof state->after);
    self->plan.orders.count = state->orders;
    self->choices.count = state->choices.count;
    if (state->choices.count)
        memcpy(self->choices.items, state->choices.items, state->choices.count);
    self->depth = depth + 1;
    for (size_t i = 0; i < self->settled.count; i++)
        if (self->settled.items[i] > depth + 1)
            self->settled.items[i] = 0;
}

static enum smt_answer decide(struct smt_propagation *self);

/* Tries the open ways of a disjunction, one after the other. */
static enum smt_answer choose(struct smt_propagation *self)
{
    const struct smt_node *open = find_open(self);
    if (!open)
        return SMT_UNKNOWN;
    uint32_t first = open->a, count = open->b; /* the formula grows and moves */
    size_t depth = self->depth;
    save(self);
    enum smt_answer result = SMT_NO;
    for (uint32_t i = 0; i < count && result == SMT_NO; i++) {
        smt_ref way = self->encoding->formula.children.items[first + i];
        if (value_of(self, way) == FALSE)
            continue;
        if (!self->choices_left)
            return SMT_UNKNOWN;
        self->choices_left--;
        if (make_true(self, way))
            result = decide(self);
        if (result == SMT_NO)
            restore(self, depth);
    }
    self->depth = depth;
    return result;
}

static enum smt_answer decide(struct smt_propagation *self)
{
    for (uint32_t round = 0; round < ROUNDS_MAX; round++) {
        if (!propagate(self))
            return SMT_NO;
        switch (try_plan(self)) {
        case SMT_CORRECT:
            return SMT_YES;
        case SMT_STUCK:
            return choose(self);
        case SMT_BROKEN:
            break;
        }
    }
    return SMT_UNKNOWN;
}

enum smt_answer smt_propagate(struct smt_propagation *self, struct smt_trial *trial,
                              struct smt_encoding *encoding, uint32_t first, uint32_t second,
                              uint32_t choices)
{
    self->encoding = self->writable = encoding;
    self->trial = trial;
    self->choices_left = choices;
    self->depth = 0;
    self->pair[0] = first;
    self->pair[1] = second;
    return start(self) ? decide(self) : SMT_NO;
}
