/* SPDX-License-Identifier: MIT */
#include "constraints/smt_own.h"

#include "constraints/cdcl.h"

/* Literals in clauses: with more it starts anew, or each question would have to find its
 * way through what was said for all the others. */
#define SIZE_MAX_KEPT (UINT32_C(1) << 22)

/* What a variable of the solver stands for. */
struct meaning {
    uint32_t variable, what; /* pos or choice */
};
struct meanings ARRAY_OF(struct meaning);

/* "The later event is before the earlier one": as observed if false. */
struct swap {
    uint32_t variable, earlier, later;
};

struct smt_own {
    const struct smt_window *window;
    struct smt_encoding *encoding;
    struct cdcl *cdcl;
    uint32_t *node;              /* by pos - start: the event's node plus one; 0: none */
    struct smt_positions placed; /* events with a node */
    struct literals ARRAY_OF(uint32_t) literals; /* by smt_ref: literal plus one; 0: none */
    struct map swapped;                          /* (earlier, later) to a place in swaps */
    struct swaps ARRAY_OF(struct swap) swaps;
    struct meanings executed, choices;
    struct smt_refs clause, assumptions;
    size_t stated; /* constraints that the solver knows */
    struct smt_plan plan;
    uint64_t steps; /* of solvers that are gone, and of trials */
};

struct smt_own *smt_own_create(const struct smt_window *window)
{
    struct smt_own *self = NEW(struct smt_own);
    self->window = window;
    self->node = NEW_ARRAY(uint32_t, window->end - window->start);
    self->plan.prefix = NEW_ARRAY(uint32_t, window->history->threads);
    return self;
}

struct smt_encoding *smt_own_take_encoding(struct smt_own *self)
{
    struct smt_encoding *encoding = self->encoding;
    self->encoding = NULL;
    smt_own_forget(self);
    return encoding;
}

void smt_own_forget(struct smt_own *self)
{
    if (!self->cdcl)
        return;
    self->steps += cdcl_steps(self->cdcl);
    cdcl_destroy(self->cdcl);
    smt_encoding_destroy(self->encoding);
    self->cdcl = NULL;
    self->encoding = NULL;
    while (self->placed.count)
        self->node[array_pop(&self->placed) - self->window->start] = 0;
    map_clear(&self->swapped);
    self->literals.count = self->swaps.count = self->executed.count = self->choices.count = 0;
    self->stated = 0;
}

void smt_own_destroy(struct smt_own *self)
{
    if (!self)
        return;
    smt_own_forget(self);

    free(self->node);
    free(self->plan.prefix);
    map_free(&self->swapped);
    array_free(&self->placed);
    array_free(&self->literals);
    array_free(&self->swaps);
    array_free(&self->executed);
    array_free(&self->choices);
    array_free(&self->clause);
    array_free(&self->assumptions);
    array_free(&self->plan.orders);
    array_free(&self->plan.choices);
    free(self);
}

uint64_t smt_own_steps(const struct smt_own *self)
{
    return self->steps + (self->cdcl ? cdcl_steps(self->cdcl) : 0);
}

static void begin(struct smt_own *self)
{
    self->encoding = smt_encode_begin(self->window, self->window->length, SMT_SECTIONS);
    self->cdcl = cdcl_create();
}

static uint32_t node_of(struct smt_own *self, uint32_t pos)
{
    uint32_t *node = &self->node[pos - self->window->start];
    if (!*node) {
        *node = cdcl_node(self->cdcl, pos) + 1;
        array_push(&self->placed, pos);
    }
    return *node - 1;
}

static cdcl_literal before(struct smt_own *self, uint32_t a, uint32_t b)
{
    bool added;
    uint32_t earlier = a < b ? a : b, later = a < b ? b : a;
    uint64_t *place = map_at(&self->swapped, map_pair(earlier, later), &added);
    if (added) {
        *place = self->swaps.count;
        uint32_t variable = cdcl_order(self->cdcl, node_of(self, later), node_of(self, earlier));
        array_push(&self->swaps, ((struct swap){variable, earlier, later}));
    }
    cdcl_literal literal = cdcl_positive(self->swaps.items[*place].variable);
    return a == later ? literal : cdcl_not(literal);
}

static cdcl_literal executed(struct smt_own *self, uint32_t pos)
{
    uint32_t variable = cdcl_lazy_variable(self->cdcl);
    cdcl_guard(self->cdcl, node_of(self, pos), variable);
    array_push(&self->executed, ((struct meaning){variable, pos}));
    return cdcl_positive(variable);
}

static cdcl_literal choice(struct smt_own *self, uint32_t number)
{
    uint32_t variable = cdcl_variable(self->cdcl);
    array_push(&self->choices, ((struct meaning){variable, number}));
    return cdcl_positive(variable);
}

static cdcl_literal literal_of(struct smt_own *self, smt_ref ref);

/* A new variable that makes all, or one, of the node's children true. */
static cdcl_literal abbreviate(struct smt_own *self, const struct smt_node *node)
{
    cdcl_literal all = cdcl_positive(cdcl_variable(self->cdcl));
    const struct smt_formula *formula = &self->encoding->formula;
    struct smt_refs clause = {0};
    array_push(&clause, cdcl_not(all));
    for (uint32_t i = 0; i < node->b; i++) {
        cdcl_literal child = literal_of(self, formula->children.items[node->a + i]);
        array_push(&clause, child);
        if (node->kind == SMT_AND) {
            cdcl_clause(self->cdcl, clause.items, 2);
            clause.count = 1;
        }
    }
    if (node->kind == SMT_OR)
        cdcl_clause(self->cdcl, clause.items, clause.count);
    array_free(&clause);
    return all;
}

static cdcl_literal new_literal(struct smt_own *self, const struct smt_node *node)
{
    switch (node->kind) {
    case SMT_BEFORE:
        return before(self, node->a, node->b);
    case SMT_EXECUTED:
        return executed(self, node->a);
    case SMT_CHOICE:
        return choice(self, node->a);
    case SMT_NOT:
        return cdcl_not(literal_of(self, node->a));
    default:
        return abbreviate(self, node);
    }
}

/* Of anything but constants, which only ever stand alone. */
static cdcl_literal literal_of(struct smt_own *self, smt_ref ref)
{
    array_grow(&self->literals, self->encoding->formula.nodes.count);
    if (!self->literals.items[ref]) {
        cdcl_literal made = new_literal(self, &self->encoding->formula.nodes.items[ref]);
        self->literals.items[ref] = made + 1;
    }
    return self->literals.items[ref] - 1;
}

static void state(struct smt_own *self, smt_ref ref)
{
    const struct smt_formula *formula = &self->encoding->formula;
    const struct smt_node *node = &formula->nodes.items[ref];
    self->clause.count = 0;
    switch (node->kind) {
    case SMT_TRUE:
        return;
    case SMT_FALSE:
        break;
    case SMT_BEFORE:
        cdcl_edge(self->cdcl, node_of(self, node->a), node_of(self, node->b));
        return;
    case SMT_AND:
        for (uint32_t i = 0; i < node->b; i++)
            state(self, formula->children.items[node->a + i]);
        return;
    case SMT_OR:
        for (uint32_t i = 0; i < node->b; i++) {
            cdcl_literal child = literal_of(self, formula->children.items[node->a + i]);
            array_push(&self->clause, child);
        }
        break;
    default:
        array_push(&self->clause, literal_of(self, ref));
    }
    cdcl_clause(self->cdcl, self->clause.items, self->clause.count);
}

static enum smt_answer ask(struct smt_own *self, const struct smt_refs *assumptions, uint64_t steps)
{
    const struct smt_constraints *constraints = &self->encoding->constraints;
    for (; self->stated < constraints->count; self->stated++)
        state(self, constraints->items[self->stated].guarded);
    self->clause.count = 0;
    /* Questions about one event, the last, tend to follow each other: what comes first is kept. */
    for (size_t i = assumptions->count; i-- > 0;) {
        cdcl_literal literal = literal_of(self, assumptions->items[i]);
        array_push(&self->clause, literal);
    }
    switch (cdcl_solve(self->cdcl, self->clause.items, self->clause.count, steps)) {
    case CDCL_YES:
        return SMT_YES;
    case CDCL_NO:
        return SMT_NO;
    default:
        return SMT_UNKNOWN;
    }
}

static void read_orders(struct smt_own *self)
{
    const struct history *history = self->window->history;
    const uint32_t *prefix = self->plan.prefix;
    self->plan.orders.count = 0;
    for (size_t i = 0; i < self->swaps.count; i++) {
        const struct swap *swap = &self->swaps.items[i];
        if (history->index[swap->earlier] >= prefix[history->events[swap->earlier].thread] ||
            history->index[swap->later] >= prefix[history->events[swap->later].thread])
            continue;
        if (cdcl_is_true(self->cdcl, swap->variable))
            array_push(&self->plan.orders, ((struct smt_edge){swap->later, swap->earlier}));
        else if (cdcl_is_false(self->cdcl, swap->variable))
            array_push(&self->plan.orders, ((struct smt_edge){swap->earlier, swap->later}));
    }
}

static void read_plan(struct smt_own *self)
{
    const struct history *history = self->window->history;
    struct smt_plan *plan = &self->plan;
    memcpy(plan->prefix, self->window->baseline, history->threads * sizeof *plan->prefix);
    plan->choices.count = 0;
    array_grow(&plan->choices, self->encoding->formula.choices);
    for (size_t i = 0; i < self->choices.count; i++)
        plan->choices.items[self->choices.items[i].what] =
            cdcl_is_true(self->cdcl, self->choices.items[i].variable);
    for (size_t i = 0; i < self->executed.count; i++) {
        uint32_t pos = self->executed.items[i].what;
        uint32_t *prefix = &plan->prefix[history->events[pos].thread];
        if (cdcl_is_true(self->cdcl, self->executed.items[i].variable) &&
            history->index[pos] >= *prefix)
            *prefix = history->index[pos] + 1;
    }
    read_orders(self);
}

enum smt_answer smt_own_decide(struct smt_own *self, struct smt_trial *trial,
                               const struct smt_goal *goal, uint64_t steps)
{
    uint64_t limit = smt_own_steps(self) + steps;
    enum smt_answer answer = SMT_YES;
    enum smt_outcome outcome = SMT_BROKEN;
    if (self->cdcl && cdcl_size(self->cdcl) > SIZE_MAX_KEPT)
        smt_own_forget(self);
    if (!self->cdcl)
        begin(self);
    self->assumptions.count = 0;
    if (!smt_assume(self->encoding, goal, &self->assumptions))
        return SMT_NO;
    while (answer == SMT_YES && outcome == SMT_BROKEN) {
        uint64_t spent = smt_own_steps(self);
        answer = spent > limit ? SMT_UNKNOWN : ask(self, &self->assumptions, limit - spent);
        if (answer != SMT_YES)
            break;
        read_plan(self);
        outcome = smt_trial_run(trial, self->encoding, &self->plan, goal);
        self->steps += smt_trial_witness(trial)->count;
    }
    if (answer == SMT_YES && outcome == SMT_STUCK)
        answer = SMT_UNKNOWN; /* it breaks what was said: not seen yet, and not believed */
    return answer;
}

enum smt_answer smt_own_decide_pair(struct smt_own *self, struct smt_trial *trial, uint32_t first,
                                    uint32_t second, uint64_t steps)
{
    const uint32_t pair[2] = {first, second};
    return smt_own_decide(self, trial, &(struct smt_goal){.next = pair, .next_count = 2}, steps);
}
