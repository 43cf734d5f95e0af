/* SPDX-License-Identifier: MIT */
#include "constraints/smt_truth.h"

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

enum truth smt_truth_of(const struct smt_propagation *self, smt_ref ref)
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
        return negated(smt_truth_of(self, node->a));
    case SMT_AND:
    case SMT_OR:
        for (uint32_t i = 0; i < node->b; i++) {
            enum truth one = smt_truth_of(self, formula->children.items[node->a + i]);
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

bool smt_make_executed(struct smt_propagation *self, uint32_t pos)
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

/* A disjunction with one way left. */
static bool make_last_way(struct smt_propagation *self, const struct smt_node *node)
{
    const struct smt_formula *formula = &self->encoding->formula;
    smt_ref way = SMT_REF_FALSE;
    for (uint32_t i = 0; i < node->b; i++) {
        smt_ref child = formula->children.items[node->a + i];
        enum truth truth = smt_truth_of(self, child);
        if (truth == TRUE)
            return true;
        if (truth == OPEN && way != SMT_REF_FALSE) {
            self->holds = false;
            return true;
        }
        if (truth == OPEN)
            way = child;
    }
    return smt_make_true(self, way);
}

bool smt_make_true(struct smt_propagation *self, smt_ref ref)
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
        return smt_make_executed(self, node->a);
    case SMT_CHOICE:
        return make_choice(self, node->a, TRUE);
    case SMT_NOT: {
        const struct smt_node *of = &formula->nodes.items[node->a];
        return of->kind == SMT_EXECUTED ? make_idle(self, of->a) : make_choice(self, of->a, FALSE);
    }
    case SMT_AND:
        for (uint32_t i = 0; i < node->b; i++)
            if (!smt_make_true(self, formula->children.items[node->a + i]))
                return false;
        return true;
    case SMT_OR:
        return make_last_way(self, node);
    }
    return true;
}
