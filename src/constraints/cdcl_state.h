/* SPDX-License-Identifier: MIT */
/* Inside the conflict-driven solver. */
#ifndef PREPLAY_CONSTRAINTS_CDCL_STATE_H
#define PREPLAY_CONSTRAINTS_CDCL_STATE_H

#include "base/array.h"
#include "constraints/acyclic.h"
#include "constraints/cdcl.h"

#define NOWHERE UINT32_MAX          /* no clause, no node, no label */
#define SHORT   (UINT32_C(1) << 31) /* in a watch: the clause has two literals */
enum { OPEN, TRUE, FALSE };

struct variable {
    bool phase; /* what it is tried as: its latest value */
    bool seen;  /* scratch, while a conflict is analysed */
    bool lazy;  /* open means false */
    uint32_t level;
    uint32_t reason;        /* clause, or NOWHERE */
    uint32_t from, to;      /* nodes, or NOWHERE */
    uint32_t guards;        /* node that matters if it is true, or NOWHERE */
    uint32_t before, after; /* in the list, or NOWHERE */
    int64_t rank;           /* ascending along the list */
};

/* A clause that watches a literal, and another literal of it: where that is true there is
 * no need to look further. */
struct watch {
    uint32_t clause;
    cdcl_literal other;
};
struct watches ARRAY_OF(struct watch);
struct literals ARRAY_OF(cdcl_literal);
struct numbers ARRAY_OF(uint32_t);

/* What is ordered. */
struct place {
    uint32_t guard;       /* it matters if this variable is true; NOWHERE: always */
    struct numbers about; /* variables */
};

/* Variables in the order in which they are tried: those of the latest conflicts, then the
 * others, the older ones first. */
struct queue {
    uint32_t first, last; /* or NOWHERE */
    uint32_t next;        /* none before it is worth a decision; or NOWHERE */
};

struct cdcl {
    struct variables ARRAY_OF(struct variable) variables;
    struct values ARRAY_OF(uint8_t) values;        /* by literal: OPEN, TRUE or FALSE */
    struct lists ARRAY_OF(struct watches) watches; /* by literal */
    struct numbers clauses; /* one after the other: length, literals; the first two are watched */
    struct acyclic *graph;
    struct places ARRAY_OF(struct place) places; /* by node */
    struct literals trail;
    struct numbers levels;  /* by level from 1: its start in the trail */
    size_t head;            /* in the trail: clauses know of those before it */
    size_t ordered;         /* the same for the graph */
    struct queue queues[2]; /* of variables; those about orders come last */
    bool contradictory;
    uint64_t steps;
    struct acyclic_labels way;
    struct literals conflict, learnt, scratch, asked;
    struct numbers met; /* variables of the conflict that is analysed */
};

static inline struct variable *variable_of(const struct cdcl *self, cdcl_literal literal)
{
    return &self->variables.items[literal / 2];
}

static inline int value_of(const struct cdcl *self, cdcl_literal literal)
{
    return self->values.items[literal];
}

static inline uint32_t level_now(const struct cdcl *self)
{
    return (uint32_t)self->levels.count;
}

/* cdcl_propagate.c: what is assigned, and what follows. */

/* The variable may be worth a decision again. */
void cdcl_look_from(struct cdcl *self, uint32_t number);
/* Is it worth a decision? */
bool cdcl_is_worthwhile(const struct cdcl *self, uint32_t number);
void cdcl_assign(struct cdcl *self, cdcl_literal literal, uint32_t reason);
void cdcl_back_to(struct cdcl *self, uint32_t level);
/* Of two literals or more. */
uint32_t cdcl_add_clause(struct cdcl *self, const struct literals *literals);
/* The negations of the literals whose edges are `way`. */
void cdcl_negate_way(const struct cdcl *self, struct literals *into);
/* What follows. False: a contradiction, whose literals, all false, are in `conflict`. */
bool cdcl_propagate(struct cdcl *self);

/* cdcl_learn.c: goes back to where the conflict could have been avoided, with a clause that
 * does so. */
void cdcl_learn(struct cdcl *self);

/* cdcl.c: it was in the latest conflict. */
void cdcl_move_to_front(struct cdcl *self, uint32_t number);

static inline struct queue *queue_of(struct cdcl *self, uint32_t number)
{
    return &self->queues[self->variables.items[number].to != NOWHERE];
}

#endif
