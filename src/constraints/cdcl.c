/* SPDX-License-Identifier: MIT */
#include "constraints/cdcl_state.h"

/* Conflicts between two fresh starts, times Luby's sequence. */
#define RESTART 64

struct cdcl *cdcl_create(void)
{
    struct cdcl *self = NEW(struct cdcl);
    self->graph = acyclic_create();
    for (int i = 0; i < 2; i++)
        self->queues[i] = (struct queue){NOWHERE, NOWHERE, NOWHERE};
    return self;
}

void cdcl_destroy(struct cdcl *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->watches.count; i++)
        array_free(&self->watches.items[i]);
    for (size_t i = 0; i < self->places.count; i++)
        array_free(&self->places.items[i].about);
    acyclic_destroy(self->graph);
    array_free(&self->places);
    array_free(&self->variables);
    array_free(&self->values);
    array_free(&self->watches);
    array_free(&self->clauses);
    array_free(&self->trail);
    array_free(&self->levels);
    array_free(&self->way);
    array_free(&self->conflict);
    array_free(&self->learnt);
    array_free(&self->scratch);
    array_free(&self->met);
    array_free(&self->asked);
    free(self);
}

uint64_t cdcl_steps(const struct cdcl *self)
{
    return self->steps + acyclic_steps(self->graph);
}

size_t cdcl_size(const struct cdcl *self)
{
    return self->clauses.count;
}

bool cdcl_is_true(const struct cdcl *self, uint32_t variable)
{
    return self->values.items[2 * variable] == TRUE;
}

bool cdcl_is_false(const struct cdcl *self, uint32_t variable)
{
    return self->values.items[2 * variable] == FALSE;
}

static void append(struct cdcl *self, uint32_t number)
{
    struct queue *queue = queue_of(self, number);
    struct variable *variables = self->variables.items, *it = &variables[number];
    it->before = queue->last;
    it->after = NOWHERE;
    it->rank = queue->last == NOWHERE ? 0 : variables[queue->last].rank + 1;
    *(queue->last == NOWHERE ? &queue->first : &variables[queue->last].after) = number;
    queue->last = number;
    cdcl_look_from(self, number);
}

void cdcl_move_to_front(struct cdcl *self, uint32_t number)
{
    struct queue *queue = queue_of(self, number);
    struct variable *variables = self->variables.items, *it = &variables[number];
    if (queue->first == number)
        return;
    variables[it->before].after = it->after;
    *(it->after == NOWHERE ? &queue->last : &variables[it->after].before) = it->before;
    it->before = NOWHERE;
    it->after = queue->first;
    it->rank = variables[queue->first].rank - 1;
    variables[queue->first].before = number;
    queue->first = number;
}

static uint32_t add_variable(struct cdcl *self, struct variable variable)
{
    uint32_t number = (uint32_t)self->variables.count;
    variable.reason = variable.guards = NOWHERE;
    array_push(&self->variables, variable);
    array_push(&self->values, OPEN);
    array_push(&self->values, OPEN);
    array_grow(&self->watches, 2 * self->variables.count);
    if (!variable.lazy)
        append(self, number);
    return number;
}

uint32_t cdcl_variable(struct cdcl *self)
{
    return add_variable(self, (struct variable){.from = NOWHERE, .to = NOWHERE});
}

uint32_t cdcl_lazy_variable(struct cdcl *self)
{
    return add_variable(self, (struct variable){.from = NOWHERE, .to = NOWHERE, .lazy = true});
}

uint32_t cdcl_node(struct cdcl *self, uint32_t place)
{
    array_push(&self->places, ((struct place){.guard = NOWHERE}));
    return acyclic_node(self->graph, place);
}

void cdcl_guard(struct cdcl *self, uint32_t node, uint32_t variable)
{
    self->places.items[node].guard = variable;
    self->variables.items[variable].guards = node;
}

uint32_t cdcl_order(struct cdcl *self, uint32_t a, uint32_t b)
{
    uint32_t number = add_variable(self, (struct variable){.from = a, .to = b});
    array_push(&self->places.items[a].about, number);
    array_push(&self->places.items[b].about, number);
    return number;
}

/* A clause with a choice between lazy variables has none that makes it true by itself. */
static void make_eager(struct cdcl *self)
{
    for (size_t i = 0; i < self->scratch.count; i++) {
        struct variable *variable = variable_of(self, self->scratch.items[i]);
        if (!variable->lazy || self->scratch.items[i] & 1)
            continue;
        variable->lazy = false;
        append(self, self->scratch.items[i] / 2);
    }
}

/* How well a literal is watched: better those that are not false, then those that become
 * open first. */
static uint32_t worth(const struct cdcl *self, cdcl_literal literal)
{
    return value_of(self, literal) == FALSE ? variable_of(self, literal)->level : UINT32_MAX;
}

/* The two best come first. */
static void sort_watched(const struct cdcl *self, struct literals *literals)
{
    for (size_t place = 0; place < 2; place++)
        for (size_t i = place + 1; i < literals->count; i++)
            if (worth(self, literals->items[i]) > worth(self, literals->items[place])) {
                cdcl_literal swapped = literals->items[i];
                literals->items[i] = literals->items[place];
                literals->items[place] = swapped;
            }
}

/* Without repetitions and what is false in any case; false if one is true in any case. */
static bool clean(struct cdcl *self, const cdcl_literal *literals, size_t count)
{
    self->scratch.count = 0;
    for (size_t i = 0; i < count; i++) {
        bool repeated = false;
        bool always = value_of(self, literals[i]) != OPEN && !variable_of(self, literals[i])->level;
        for (size_t k = 0; k < self->scratch.count && !repeated; k++)
            repeated = self->scratch.items[k] == literals[i];
        if (always && value_of(self, literals[i]) == TRUE)
            return false;
        if (!always && !repeated)
            array_push(&self->scratch, literals[i]);
    }
    return true;
}

/* Goes back as far as the clause, which is in `scratch`, says that something is wrong here,
 * and no further: the next question is often much like the last one. */
void cdcl_clause(struct cdcl *self, const cdcl_literal *literals, size_t count)
{
    struct literals *clause = &self->scratch;
    if (!clean(self, literals, count))
        return;
    if (clause->count > 2)
        make_eager(self);
    if (!clause->count) {
        self->contradictory = true;
        return;
    }
    sort_watched(self, clause);
    if (worth(self, clause->items[0]) != UINT32_MAX) { /* all are false */
        cdcl_back_to(self, worth(self, clause->items[0]) - 1);
        sort_watched(self, clause);
    }
    uint32_t rest = clause->count > 1 ? worth(self, clause->items[1]) : 0;
    uint32_t place = clause->count > 1 ? cdcl_add_clause(self, clause) : NOWHERE;
    if (rest != UINT32_MAX && (value_of(self, clause->items[0]) == OPEN ||
                               variable_of(self, clause->items[0])->level > rest)) {
        cdcl_back_to(self, rest);
        cdcl_assign(self, clause->items[0], place);
    }
}

void cdcl_edge(struct cdcl *self, uint32_t from, uint32_t to)
{
    if (acyclic_add(self->graph, from, to, NOWHERE, &self->way))
        return;
    cdcl_back_to(self, 0);
    if (!acyclic_add(self->graph, from, to, NOWHERE, &self->way))
        self->contradictory = true;
}

/* If the graph knows the order already, assigns it, with the way through it as a reason. */
static bool follows_from_order(struct cdcl *self, uint32_t number)
{
    const struct variable *variable = &self->variables.items[number];
    bool way = acyclic_leads(self->graph, variable->from, variable->to, &self->way);
    bool back = !way && acyclic_leads(self->graph, variable->to, variable->from, &self->way);
    if (!way && !back)
        return false;
    cdcl_literal literal = cdcl_positive(number) + back;
    self->scratch.count = 0;
    array_push(&self->scratch, literal);
    cdcl_negate_way(self, &self->scratch);
    /* Those that are watched must be the last to become open again. */
    for (size_t i = 2; i < self->scratch.count; i++) {
        cdcl_literal swapped = self->scratch.items[i];
        if (variable_of(self, swapped)->level <= variable_of(self, self->scratch.items[1])->level)
            continue;
        self->scratch.items[i] = self->scratch.items[1];
        self->scratch.items[1] = swapped;
    }
    if (self->scratch.count == 1)
        cdcl_back_to(self, 0); /* it is so in any case */
    cdcl_assign(self, literal,
                self->scratch.count > 1 ? cdcl_add_clause(self, &self->scratch) : NOWHERE);
    return true;
}

/* The next one that is worth a decision, or NOWHERE. */
static uint32_t take_next(struct cdcl *self, struct queue *queue)
{
    while (queue->next != NOWHERE) {
        uint32_t number = queue->next;
        queue->next = self->variables.items[number].after;
        if (cdcl_is_worthwhile(self, number))
            return number;
    }
    return NOWHERE;
}

/* False: everything that matters has a value. */
static bool decide(struct cdcl *self)
{
    uint32_t number = take_next(self, &self->queues[0]);
    if (number == NOWHERE) {
        number = take_next(self, &self->queues[1]);
        if (number == NOWHERE)
            return false;
        if (follows_from_order(self, number))
            return true;
    }
    array_push(&self->levels, (uint32_t)self->trail.count);
    cdcl_assign(self, cdcl_positive(number) + !self->variables.items[number].phase, NOWHERE);
    return true;
}

/* 1 1 2 1 1 2 4 ... */
static uint64_t luby(uint64_t number)
{
    uint64_t size = 1, power = 0;
    while (size < number + 1) {
        size = 2 * size + 1;
        power++;
    }
    while (size - 1 != number) {
        size = (size - 1) / 2;
        power--;
        number %= size;
    }
    return UINT64_C(1) << power;
}

/* The next of the question's literals that is not true yet; true if one was found. Each has
 * a level of its own. */
static bool assume(struct cdcl *self, const cdcl_literal *literals, size_t count, bool *fails)
{
    while (level_now(self) < count) {
        cdcl_literal literal = literals[level_now(self)];
        int value = value_of(self, literal);
        *fails = value == FALSE;
        if (*fails)
            return true;
        array_push(&self->levels, (uint32_t)self->trail.count);
        if (value == OPEN) {
            cdcl_assign(self, literal, NOWHERE);
            return true;
        }
    }
    return false;
}

/* Keeps what rests on literals that the last question began with, too. */
static void begin(struct cdcl *self, const cdcl_literal *literals, size_t count)
{
    struct literals *asked = &self->asked;
    uint32_t same = 0;
    while (same < count && same < asked->count && asked->items[same] == literals[same])
        same++;
    if (same < count || same < asked->count)
        cdcl_back_to(self, same);
    asked->count = same;
    for (; same < count; same++)
        array_push(asked, literals[same]);
}

enum cdcl_answer cdcl_solve(struct cdcl *self, const cdcl_literal *literals, size_t count,
                            uint64_t steps)
{
    uint64_t limit = cdcl_steps(self) + steps, conflicts = 0, restarts = 0;
    bool fails = false;
    begin(self, literals, count);
    while (!self->contradictory) {
        if (!cdcl_propagate(self)) {
            cdcl_learn(self);
            conflicts++;
        } else if (cdcl_steps(self) > limit) {
            return CDCL_UNKNOWN;
        } else if (conflicts >= RESTART * luby(restarts)) {
            cdcl_back_to(self, (uint32_t)count);
            conflicts = 0;
            restarts++;
        } else if (!assume(self, literals, count, &fails)) {
            if (!decide(self))
                return CDCL_YES;
        } else if (fails) {
            return CDCL_NO;
        }
    }
    return CDCL_NO;
}
