/* SPDX-License-Identifier: MIT */
#include "constraints/cdcl_state.h"

#include <assert.h>

void cdcl_look_from(struct cdcl *self, uint32_t number)
{
    struct queue *queue = queue_of(self, number);
    const struct variable *variables = self->variables.items;
    if (queue->next == NOWHERE || variables[number].rank < variables[queue->next].rank)
        queue->next = number;
}

static bool matters(const struct cdcl *self, uint32_t node)
{
    uint32_t guard = node == NOWHERE ? NOWHERE : self->places.items[node].guard;
    return guard == NOWHERE || self->values.items[2 * guard] == TRUE;
}

bool cdcl_is_worthwhile(const struct cdcl *self, uint32_t number)
{
    const struct variable *variable = &self->variables.items[number];
    return self->values.items[2 * number] == OPEN && matters(self, variable->from) &&
           matters(self, variable->to);
}

static void wake(struct cdcl *self, uint32_t node)
{
    const struct numbers *about = &self->places.items[node].about;
    for (size_t i = 0; i < about->count; i++)
        if (cdcl_is_worthwhile(self, about->items[i]))
            cdcl_look_from(self, about->items[i]);
}

void cdcl_assign(struct cdcl *self, cdcl_literal literal, uint32_t reason)
{
    struct variable *variable = variable_of(self, literal);
    __builtin_prefetch(&self->watches.items[cdcl_not(literal)]);
    self->values.items[literal] = TRUE;
    self->values.items[cdcl_not(literal)] = FALSE;
    variable->level = level_now(self);
    variable->reason = reason;
    self->steps++;
    array_push(&self->trail, literal);
    if (!(literal & 1) && variable->guards != NOWHERE)
        wake(self, variable->guards);
}

void cdcl_back_to(struct cdcl *self, uint32_t level)
{
    if (level_now(self) <= level)
        return;
    size_t start = self->levels.items[level];
    while (self->trail.count > start) {
        cdcl_literal literal = array_pop(&self->trail);
        struct variable *variable = variable_of(self, literal);
        bool positive = !(literal & 1);
        if (self->trail.count < self->ordered && variable->to != NOWHERE)
            acyclic_remove(self->graph, positive ? variable->from : variable->to,
                           positive ? variable->to : variable->from, literal);
        self->values.items[literal] = self->values.items[cdcl_not(literal)] = OPEN;
        variable->phase = positive;
        if (!variable->lazy)
            cdcl_look_from(self, literal / 2);
    }
    self->levels.count = level;
    self->head = self->head < start ? self->head : start;
    self->ordered = self->ordered < start ? self->ordered : start;
}

uint32_t cdcl_add_clause(struct cdcl *self, const struct literals *literals)
{
    uint32_t clause = (uint32_t)self->clauses.count;
    array_push(&self->clauses, (uint32_t)literals->count);
    for (size_t i = 0; i < literals->count; i++)
        array_push(&self->clauses, literals->items[i]);
    uint32_t mark = literals->count == 2 ? SHORT : 0;
    assert(clause < SHORT);
    for (int i = 0; i < 2; i++)
        array_push(&self->watches.items[literals->items[i]],
                   ((struct watch){clause | mark, literals->items[!i]}));
    return clause;
}

/* The clause has no true literal: that is the conflict. */
static bool fail_at_clause(struct cdcl *self, uint32_t clause)
{
    const uint32_t *literals = &self->clauses.items[clause + 1];
    self->conflict.count = 0;
    for (uint32_t i = 0; i < self->clauses.items[clause]; i++)
        array_push(&self->conflict, literals[i]);
    return false;
}

/* Looks for another literal to watch instead of `gone`, which became false. True if there
 * is none, so that the first literal of the clause must be true. */
static bool is_last(struct cdcl *self, uint32_t clause, cdcl_literal gone)
{
    uint32_t count = self->clauses.items[clause];
    cdcl_literal *literals = &self->clauses.items[clause + 1];
    if (literals[0] == gone) {
        literals[0] = literals[1];
        literals[1] = gone;
    }
    for (uint32_t i = 2; i < count && value_of(self, literals[0]) != TRUE; i++)
        if (value_of(self, literals[i]) != FALSE) {
            literals[1] = literals[i];
            literals[i] = gone;
            array_push(&self->watches.items[literals[1]], ((struct watch){clause, literals[0]}));
            return false;
        }
    return true;
}

/* New watches go to lists of other literals: this one is neither moved nor does it grow. */
static bool propagate_clauses(struct cdcl *self, cdcl_literal gone)
{
    struct watches *list = &self->watches.items[gone];
    struct watch *items = list->items;
    size_t count = list->count, kept = 0, i = 0;
    bool fine = true;
    while (i < count && fine) {
        uint32_t clause = items[i].clause;
        cdcl_literal last = items[i++].other;
        if (value_of(self, last) == TRUE) {
            items[kept++] = (struct watch){clause, last};
            continue;
        }
        if (!(clause & SHORT)) {
            if (!is_last(self, clause, gone))
                continue;
            last = self->clauses.items[clause + 1];
        }
        items[kept++] = (struct watch){clause, last};
        if (value_of(self, last) == OPEN)
            cdcl_assign(self, last, clause & ~SHORT);
        else if (value_of(self, last) == FALSE)
            fine = fail_at_clause(self, clause & ~SHORT);
    }
    self->steps += i;
    while (i < count)
        items[kept++] = items[i++];
    list->count = kept;
    return fine;
}

void cdcl_negate_way(const struct cdcl *self, struct literals *into)
{
    for (size_t i = 0; i < self->way.count; i++)
        if (self->way.items[i] != NOWHERE)
            array_push(into, cdcl_not(self->way.items[i]));
}

static bool propagate_order(struct cdcl *self, cdcl_literal literal)
{
    const struct variable *variable = variable_of(self, literal);
    if (variable->to == NOWHERE)
        return true;
    uint32_t from = literal & 1 ? variable->to : variable->from;
    uint32_t to = literal & 1 ? variable->from : variable->to;
    if (acyclic_add(self->graph, from, to, literal, &self->way))
        return true;
    self->conflict.count = 0;
    array_push(&self->conflict, cdcl_not(literal));
    cdcl_negate_way(self, &self->conflict);
    return false;
}

bool cdcl_propagate(struct cdcl *self)
{
    for (;;) {
        while (self->head < self->trail.count) {
            cdcl_literal gone = cdcl_not(self->trail.items[self->head++]);
            if (self->head < self->trail.count) /* its clauses come next */
                __builtin_prefetch(
                    self->watches.items[cdcl_not(self->trail.items[self->head])].items);
            if (!propagate_clauses(self, gone))
                return false;
        }
        if (self->ordered == self->trail.count)
            return true;
        if (!propagate_order(self, self->trail.items[self->ordered]))
            return false;
        self->ordered++;
    }
}
