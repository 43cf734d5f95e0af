/* SPDX-License-Identifier: MIT */
#include "constraints/smt_truth.h"

/* Plans that may be tried between two choices. */
#define ROUNDS_MAX 1000

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
        if (before != POS_NONE && before >= window->start && !smt_make_executed(self, before))
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
            if (!smt_make_true(self, constraint->guarded))
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
    const struct smt_goal goal = {.next = self->pair, .next_count = 2};
    return smt_trial_run(self->trial, self->writable, &self->plan, &goal);
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
            smt_truth_of(self, constraint->guarded) != OPEN)
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
        if (smt_truth_of(self, way) == FALSE)
            continue;
        if (!self->choices_left)
            return SMT_UNKNOWN;
        self->choices_left--;
        if (smt_make_true(self, way))
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
