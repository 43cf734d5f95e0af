/* SPDX-License-Identifier: MIT */
#include "constraints/cdcl_state.h"

#include <assert.h>

static void note_literal(struct cdcl *self, cdcl_literal literal, uint32_t *of_level)
{
    struct variable *variable = variable_of(self, literal);
    if (variable->seen || variable->level == 0)
        return;
    variable->seen = true;
    array_push(&self->met, literal / 2);
    if (variable->level == level_now(self))
        ++*of_level;
    else
        array_push(&self->learnt, literal);
}

/* Do the others that were learnt imply it? */
static bool is_redundant(const struct cdcl *self, cdcl_literal literal)
{
    uint32_t reason = variable_of(self, literal)->reason;
    if (reason == NOWHERE)
        return false;
    for (uint32_t i = 1; i <= self->clauses.items[reason]; i++) {
        const struct variable *other = variable_of(self, self->clauses.items[reason + i]);
        if (other != variable_of(self, literal) && !other->seen && other->level)
            return false;
    }
    return true;
}

static void drop_redundant(struct cdcl *self)
{
    self->scratch.count = 0;
    for (size_t i = 1; i < self->learnt.count; i++)
        array_push(&self->scratch, self->learnt.items[i]);
    size_t kept = 1;
    for (size_t i = 1; i < self->learnt.count; i++)
        if (!is_redundant(self, self->learnt.items[i]))
            self->learnt.items[kept++] = self->learnt.items[i];
    self->learnt.count = kept;
    for (size_t i = 0; i < self->scratch.count; i++)
        variable_of(self, self->scratch.items[i])->seen = false;
}

/* Resolves the conflict until one literal of this level is left: the first of what is
 * learnt. The second is of the highest level among the others, which is returned. */
static uint32_t analyse(struct cdcl *self)
{
    uint32_t of_level = 0;
    size_t at = self->trail.count;
    self->learnt.count = self->met.count = 0;
    array_push(&self->learnt, 0);
    for (size_t i = 0; i < self->conflict.count; i++)
        note_literal(self, self->conflict.items[i], &of_level);
    for (;;) {
        assert(of_level);
        while (!variable_of(self, self->trail.items[--at])->seen)
            ;
        cdcl_literal literal = self->trail.items[at];
        struct variable *variable = variable_of(self, literal);
        variable->seen = false;
        if (--of_level == 0) {
            self->learnt.items[0] = cdcl_not(literal);
            break;
        }
        assert(variable->reason != NOWHERE);
        for (uint32_t i = 1; i <= self->clauses.items[variable->reason]; i++)
            if (self->clauses.items[variable->reason + i] != literal)
                note_literal(self, self->clauses.items[variable->reason + i], &of_level);
    }
    drop_redundant(self);
    uint32_t level = 0;
    for (size_t i = 1; i < self->learnt.count; i++) {
        cdcl_literal literal = self->learnt.items[i];
        if (variable_of(self, literal)->level <= level)
            continue;
        level = variable_of(self, literal)->level;
        self->learnt.items[i] = self->learnt.items[1];
        self->learnt.items[1] = literal;
    }
    return level;
}

/* The conflict's highest level; it may lie below this one. */
static uint32_t conflict_level(const struct cdcl *self)
{
    uint32_t level = 0;
    for (size_t i = 0; i < self->conflict.count; i++) {
        uint32_t other = variable_of(self, self->conflict.items[i])->level;
        level = other > level ? other : level;
    }
    return level;
}

void cdcl_learn(struct cdcl *self)
{
    cdcl_back_to(self, conflict_level(self));
    if (!level_now(self)) {
        self->contradictory = true;
        return;
    }
    cdcl_back_to(self, analyse(self));
    uint32_t clause = self->learnt.count > 1 ? cdcl_add_clause(self, &self->learnt) : NOWHERE;
    cdcl_assign(self, self->learnt.items[0], clause);
    for (size_t i = self->met.count; i-- > 0;) {
        if (self->variables.items[self->met.items[i]].lazy)
            continue;
        cdcl_move_to_front(self, self->met.items[i]);
        if (self->values.items[2 * self->met.items[i]] == OPEN)
            cdcl_look_from(self, self->met.items[i]);
    }
}
