#include "search/cdcl.h"

#include "base/array.h"
#include "search/acyclic.h"

#include <assert.h>

#define NOWHERE UINT32_MAX          /* no clause, no node, no label */
#define SHORT   (UINT32_C(1) << 31) /* in a watch: the clause has two literals */
/* Conflicts between two fresh starts, times Luby's sequence. */
#define RESTART 64

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
    struct values ARRAY_OF(uint8_t) values;        /* of them: OPEN, TRUE or FALSE */
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

static struct variable *variable_of(const struct cdcl *self, cdcl_literal literal)
{
    return &self->variables.items[literal / 2];
}

static int value_of(const struct cdcl *self, cdcl_literal literal)
{
    uint8_t value = self->values.items[literal / 2];
    return value == OPEN ? OPEN : (value == TRUE) == !(literal & 1) ? TRUE : FALSE;
}

bool cdcl_is_true(const struct cdcl *self, uint32_t variable)
{
    return self->values.items[variable] == TRUE;
}

bool cdcl_is_false(const struct cdcl *self, uint32_t variable)
{
    return self->values.items[variable] == FALSE;
}

static uint32_t level_now(const struct cdcl *self)
{
    return (uint32_t)self->levels.count;
}

static struct queue *queue_of(struct cdcl *self, uint32_t number)
{
    return &self->queues[self->variables.items[number].to != NOWHERE];
}

/* The variable may be worth a decision again. */
static void look_from(struct cdcl *self, uint32_t number)
{
    struct queue *queue = queue_of(self, number);
    const struct variable *variables = self->variables.items;
    if (queue->next == NOWHERE || variables[number].rank < variables[queue->next].rank)
        queue->next = number;
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
    look_from(self, number);
}

static void move_to_front(struct cdcl *self, uint32_t number)
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

static bool matters(const struct cdcl *self, uint32_t node)
{
    uint32_t guard = node == NOWHERE ? NOWHERE : self->places.items[node].guard;
    return guard == NOWHERE || self->values.items[guard] == TRUE;
}

/* Is it worth a decision? */
static bool is_worthwhile(const struct cdcl *self, uint32_t number)
{
    const struct variable *variable = &self->variables.items[number];
    return self->values.items[number] == OPEN && matters(self, variable->from) &&
           matters(self, variable->to);
}

static void wake(struct cdcl *self, uint32_t node)
{
    const struct numbers *about = &self->places.items[node].about;
    for (size_t i = 0; i < about->count; i++)
        if (is_worthwhile(self, about->items[i]))
            look_from(self, about->items[i]);
}

static void assign(struct cdcl *self, cdcl_literal literal, uint32_t reason)
{
    struct variable *variable = variable_of(self, literal);
    self->values.items[literal / 2] = literal & 1 ? FALSE : TRUE;
    variable->level = level_now(self);
    variable->reason = reason;
    self->steps++;
    array_push(&self->trail, literal);
    if (!(literal & 1) && variable->guards != NOWHERE)
        wake(self, variable->guards);
}

static void back_to(struct cdcl *self, uint32_t level)
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
        self->values.items[literal / 2] = OPEN;
        variable->phase = positive;
        if (!variable->lazy)
            look_from(self, literal / 2);
    }
    self->levels.count = level;
    self->head = self->head < start ? self->head : start;
    self->ordered = self->ordered < start ? self->ordered : start;
}

/* Of two literals or more. */
static uint32_t add_clause(struct cdcl *self, const struct literals *literals)
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

static bool propagate_clauses(struct cdcl *self, cdcl_literal gone)
{
    struct watches *list = &self->watches.items[gone];
    size_t kept = 0, i = 0;
    bool fine = true;
    while (i < list->count && fine) {
        struct watch watch = list->items[i++];
        self->steps++;
        if (value_of(self, watch.other) == TRUE) {
            list->items[kept++] = watch;
            continue;
        }
        bool is_short = watch.clause & SHORT;
        if (!is_short && !is_last(self, watch.clause, gone))
            continue;
        cdcl_literal last = is_short ? watch.other : self->clauses.items[watch.clause + 1];
        list->items[kept++] = (struct watch){watch.clause, last};
        if (value_of(self, last) == OPEN)
            assign(self, last, watch.clause & ~SHORT);
        else if (value_of(self, last) == FALSE)
            fine = fail_at_clause(self, watch.clause & ~SHORT);
    }
    while (i < list->count)
        list->items[kept++] = list->items[i++];
    list->count = kept;
    return fine;
}

/* The negations of the literals whose edges are `way`. */
static void negate_way(const struct cdcl *self, struct literals *into)
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
    negate_way(self, &self->conflict);
    return false;
}

/* What follows. False: a contradiction, whose literals, all false, are in `conflict`. */
static bool propagate(struct cdcl *self)
{
    for (;;) {
        while (self->head < self->trail.count)
            if (!propagate_clauses(self, cdcl_not(self->trail.items[self->head++])))
                return false;
        if (self->ordered == self->trail.count)
            return true;
        if (!propagate_order(self, self->trail.items[self->ordered]))
            return false;
        self->ordered++;
    }
}

/* Learning. */

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

static void learn(struct cdcl *self)
{
    back_to(self, conflict_level(self));
    if (!level_now(self)) {
        self->contradictory = true;
        return;
    }
    back_to(self, analyse(self));
    uint32_t clause = self->learnt.count > 1 ? add_clause(self, &self->learnt) : NOWHERE;
    assign(self, self->learnt.items[0], clause);
    for (size_t i = self->met.count; i-- > 0;) {
        if (self->variables.items[self->met.items[i]].lazy)
            continue;
        move_to_front(self, self->met.items[i]);
        if (self->values.items[self->met.items[i]] == OPEN)
            look_from(self, self->met.items[i]);
    }
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
        back_to(self, worth(self, clause->items[0]) - 1);
        sort_watched(self, clause);
    }
    uint32_t rest = clause->count > 1 ? worth(self, clause->items[1]) : 0;
    uint32_t place = clause->count > 1 ? add_clause(self, clause) : NOWHERE;
    if (rest != UINT32_MAX && (value_of(self, clause->items[0]) == OPEN ||
                               variable_of(self, clause->items[0])->level > rest)) {
        back_to(self, rest);
        assign(self, clause->items[0], place);
    }
}

void cdcl_edge(struct cdcl *self, uint32_t from, uint32_t to)
{
    if (acyclic_add(self->graph, from, to, NOWHERE, &self->way))
        return;
    back_to(self, 0);
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
    negate_way(self, &self->scratch);
    /* Those that are watched must be the last to become open again. */
    for (size_t i = 2; i < self->scratch.count; i++) {
        cdcl_literal swapped = self->scratch.items[i];
        if (variable_of(self, swapped)->level <= variable_of(self, self->scratch.items[1])->level)
            continue;
        self->scratch.items[i] = self->scratch.items[1];
        self->scratch.items[1] = swapped;
    }
    if (self->scratch.count == 1)
        back_to(self, 0); /* it is so in any case */
    assign(self, literal, self->scratch.count > 1 ? add_clause(self, &self->scratch) : NOWHERE);
    return true;
}

/* The next one that is worth a decision, or NOWHERE. */
static uint32_t take_next(struct cdcl *self, struct queue *queue)
{
    while (queue->next != NOWHERE) {
        uint32_t number = queue->next;
        queue->next = self->variables.items[number].after;
        if (is_worthwhile(self, number))
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
    assign(self, cdcl_positive(number) + !self->variables.items[number].phase, NOWHERE);
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
            assign(self, literal, NOWHERE);
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
        back_to(self, same);
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
        if (!propagate(self)) {
            learn(self);
            conflicts++;
        } else if (cdcl_steps(self) > limit) {
            return CDCL_UNKNOWN;
        } else if (conflicts >= RESTART * luby(restarts)) {
            back_to(self, (uint32_t)count);
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
