/* SPDX-License-Identifier: MIT */
/* The back end on Z3's C API. Orders become integers; Z3's default strategy for
 * difference logic is far slower here than its plain incremental core with the
 * graph-based arithmetic solver, so that one is asked for.
 *
 * For two events there is one atom, "they are not in the observed order". Z3 tries
 * "false" first, so its plans differ from what was observed as little as it can see.
 * If the atom is true the two integers may be equal, and the later event goes first.
 * That closes no cycle: a cycle has an order as observed, which is strict.
 *
 * Z3 takes longer to make a model than to answer. But all that is asked for are truth
 * values, so they are read off its trail of assigned literals; each atom has a name there
 * that Z3 does not rewrite. */
#include "smt/smt_solver.h"

#include <assert.h>
#include <z3.h>

struct smt_context {
    Z3_context z3;
};

struct asts ARRAY_OF(Z3_ast);

/* What a constant stands for. */
struct role {
    enum { ROLE_NONE, ROLE_EXECUTED, ROLE_CHOICE, ROLE_SWAPPED } kind;
    uint32_t number; /* pos, choice, atom */
};

struct smt_solver {
    struct smt_encoding *encoding;
    Z3_context context;
    Z3_solver solver;
    struct asts translated; /* by smt_ref; NULL: not yet */
    Z3_ast *order;          /* by pos - start: the event's integer */
    struct map swapped;     /* (earlier, later) in the observed order to the atom's place in... */
    struct asts atoms;      /* ...here */
    struct smt_edges edges; /* the same as pairs */
    struct roles ARRAY_OF(struct role) roles;  /* by Z3's number of the term */
    size_t stated;                             /* constraints that Z3 knows */
    struct verdicts ARRAY_OF(bool) is_swapped; /* by atom: in the last answer */
    struct smt_plan plan;
};

struct smt_context *smt_context_create(void)
{
    struct smt_context *context = NEW(struct smt_context);
    Z3_config config = Z3_mk_config();
    context->z3 = Z3_mk_context_rc(config);
    Z3_del_config(config);
    return context;
}

void smt_context_destroy(struct smt_context *context)
{
    if (!context)
        return;
    Z3_del_context(context->z3);
    free(context);
}

/* Terms are counted references. */
static Z3_ast keep(struct smt_solver *self, Z3_ast term)
{
    Z3_inc_ref(self->context, term);
    return term;
}

static Z3_ast order_of(struct smt_solver *self, uint32_t pos)
{
    Z3_ast *place = &self->order[pos - self->encoding->window->start];
    if (!*place)
        *place = keep(self, Z3_mk_const(self->context, Z3_mk_int_symbol(self->context, (int)pos),
                                        Z3_mk_int_sort(self->context)));
    return *place;
}

static Z3_ast flag(struct smt_solver *self, const char *prefix, int role, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "%s%u", prefix, number);
    Z3_ast constant = Z3_mk_const(self->context, Z3_mk_string_symbol(self->context, name),
                                  Z3_mk_bool_sort(self->context));
    unsigned id = Z3_get_ast_id(self->context, constant);
    array_grow(&self->roles, id + 1);
    self->roles.items[id].kind = role;
    self->roles.items[id].number = number;
    return constant;
}

static Z3_ast translate(struct smt_solver *self, smt_ref ref);

/* "The later event is before the earlier one." */
static Z3_ast swapped(struct smt_solver *self, uint32_t earlier, uint32_t later)
{
    bool added;
    uint64_t *place = map_at(&self->swapped, map_pair(earlier, later), &added);
    if (added) {
        *place = self->atoms.count;
        Z3_ast atom = keep(self, flag(self, "s", ROLE_SWAPPED, (uint32_t)self->atoms.count));
        Z3_ast order = Z3_mk_le(self->context, order_of(self, later), order_of(self, earlier));
        array_push(&self->atoms, atom);
        array_push(&self->edges, ((struct smt_edge){earlier, later}));
        Z3_solver_assert(self->context, self->solver, Z3_mk_iff(self->context, atom, order));
    }
    return self->atoms.items[*place];
}

static Z3_ast translate_list(struct smt_solver *self, const struct smt_node *node)
{
    Z3_ast few[16], *list = node->b <= 16 ? few : memory_alloc(node->b, sizeof *list);
    for (uint32_t i = 0; i < node->b; i++)
        list[i] = translate(self, self->encoding->formula.children.items[node->a + i]);
    Z3_ast result = node->kind == SMT_AND ? Z3_mk_and(self->context, node->b, list)
                                          : Z3_mk_or(self->context, node->b, list);
    if (list != few)
        free(list);
    return result;
}

static Z3_ast translate_new(struct smt_solver *self, const struct smt_node *node)
{
    switch (node->kind) {
    case SMT_FALSE:
        return Z3_mk_false(self->context);
    case SMT_TRUE:
        return Z3_mk_true(self->context);
    case SMT_BEFORE:
        return node->a > node->b ? swapped(self, node->b, node->a)
                                 : Z3_mk_not(self->context, swapped(self, node->a, node->b));
    case SMT_EXECUTED:
        return flag(self, "x", ROLE_EXECUTED, node->a);
    case SMT_CHOICE:
        return flag(self, "c", ROLE_CHOICE, node->a);
    case SMT_NOT:
        return Z3_mk_not(self->context, translate(self, node->a));
    case SMT_AND:
    case SMT_OR:
        return translate_list(self, node);
    }
    return NULL;
}

static Z3_ast translate(struct smt_solver *self, smt_ref ref)
{
    array_grow(&self->translated, self->encoding->formula.nodes.count);
    if (!self->translated.items[ref]) {
        Z3_ast made = translate_new(self, &self->encoding->formula.nodes.items[ref]);
        self->translated.items[ref] = keep(self, made);
    }
    return self->translated.items[ref];
}

static void configure(struct smt_solver *self, const struct smt_limits *limits)
{
    Z3_params params = Z3_mk_params(self->context);
    Z3_params_inc_ref(self->context, params);
#define SYMBOL(text) Z3_mk_string_symbol(self->context, text)
    Z3_params_set_bool(self->context, params, SYMBOL("auto_config"), false);
    Z3_params_set_uint(self->context, params, SYMBOL("arith.solver"), 1);
    Z3_params_set_uint(self->context, params, SYMBOL("relevancy"), 0);
    Z3_params_set_bool(self->context, params, SYMBOL("model"), false);
    if (limits->budget)
        Z3_params_set_uint(self->context, params, SYMBOL("rlimit"), limits->budget);
    if (limits->seconds > 0) /* Z3's own number for "none" is the largest */
        Z3_params_set_uint(self->context, params, SYMBOL("timeout"),
                           limits->seconds < 1e6 ? (unsigned)(limits->seconds * 1000) + 1
                                                 : UINT32_MAX);
#undef SYMBOL
    Z3_solver_set_params(self->context, self->solver, params);
    Z3_params_dec_ref(self->context, params);
}

struct smt_solver *smt_solver_create(struct smt_context *context, struct smt_encoding *encoding,
                                     const struct smt_limits *limits)
{
    struct smt_solver *self = NEW(struct smt_solver);
    const struct smt_window *window = encoding->window;
    self->encoding = encoding;
    self->context = context->z3;
    self->solver = Z3_mk_simple_solver(self->context);
    Z3_solver_inc_ref(self->context, self->solver);
    self->order = NEW_ARRAY(Z3_ast, window->end - window->start);
    self->plan.prefix = NEW_ARRAY(uint32_t, window->history->threads);
    configure(self, limits);
    return self;
}

static void release(struct smt_solver *self, Z3_ast *terms, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (terms[i])
            Z3_dec_ref(self->context, terms[i]);
}

void smt_solver_destroy(struct smt_solver *self)
{
    if (!self)
        return;
    const struct smt_window *window = self->encoding->window;
    Z3_solver_dec_ref(self->context, self->solver);
    release(self, self->translated.items, self->translated.count);
    release(self, self->atoms.items, self->atoms.count);
    release(self, self->order, window->end - window->start);
    array_free(&self->translated);
    array_free(&self->atoms);
    array_free(&self->edges);
    array_free(&self->roles);
    array_free(&self->is_swapped);
    map_free(&self->swapped);
    free(self->order);
    free(self->plan.prefix);
    array_free(&self->plan.orders);
    array_free(&self->plan.choices);
    free(self);
}

/* What holds anyway needs no atom. */
static void state(struct smt_solver *self, smt_ref ref)
{
    const struct smt_node *node = &self->encoding->formula.nodes.items[ref];
    Z3_ast term = node->kind == SMT_BEFORE && node->a < node->b
                      ? Z3_mk_lt(self->context, order_of(self, node->a), order_of(self, node->b))
                      : translate(self, ref);
    Z3_solver_assert(self->context, self->solver, term);
}

enum smt_answer smt_solver_ask(struct smt_solver *self, const struct smt_refs *assumptions)
{
    const struct smt_constraints *constraints = &self->encoding->constraints;
    for (; self->stated < constraints->count; self->stated++)
        state(self, constraints->items[self->stated].guarded);
    Z3_ast *list = memory_alloc(assumptions->count, sizeof *list);
    for (size_t i = 0; i < assumptions->count; i++)
        list[i] = translate(self, assumptions->items[i]);
    Z3_lbool answer = Z3_solver_check_assumptions(self->context, self->solver,
                                                  (unsigned)assumptions->count, list);
    free(list);
    return answer == Z3_L_TRUE ? SMT_YES : answer == Z3_L_FALSE ? SMT_NO : SMT_UNKNOWN;
}

uint64_t smt_solver_spent(struct smt_solver *self)
{
    uint64_t spent = 0;
    Z3_stats stats = Z3_solver_get_statistics(self->context, self->solver);
    Z3_stats_inc_ref(self->context, stats);
    for (unsigned i = 0; i < Z3_stats_size(self->context, stats); i++)
        if (strcmp(Z3_stats_get_key(self->context, stats, i), "rlimit count") == 0)
            spent = Z3_stats_get_uint_value(self->context, stats, i);
    Z3_stats_dec_ref(self->context, stats);
    return spent;
}

/* Threads execute prefixes, so the last event that is executed says it all. */
static void read_executed(struct smt_solver *self, uint32_t pos)
{
    const struct history *history = self->encoding->window->history;
    uint32_t *prefix = &self->plan.prefix[history->events[pos].thread];
    if (history->index[pos] >= *prefix)
        *prefix = history->index[pos] + 1;
}

static void read_literal(struct smt_solver *self, Z3_ast literal)
{
    unsigned id = Z3_get_ast_id(self->context, literal);
    if (id >= self->roles.count)
        return; /* negations, and what Z3 made itself */
    struct role role = self->roles.items[id];
    if (role.kind == ROLE_EXECUTED)
        read_executed(self, role.number);
    else if (role.kind == ROLE_CHOICE)
        self->plan.choices.items[role.number] = true;
    else if (role.kind == ROLE_SWAPPED)
        self->is_swapped.items[role.number] = true;
}

static void read_trail(struct smt_solver *self)
{
    Z3_ast_vector trail = Z3_solver_get_trail(self->context, self->solver);
    Z3_ast_vector_inc_ref(self->context, trail);
    unsigned count = Z3_ast_vector_size(self->context, trail);
    for (unsigned i = 0; i < count; i++)
        read_literal(self, Z3_ast_vector_get(self->context, trail, i));
    Z3_ast_vector_dec_ref(self->context, trail);
}

static void read_orders(struct smt_solver *self)
{
    const struct history *history = self->encoding->window->history;
    const uint32_t *prefix = self->plan.prefix;
    self->plan.orders.count = 0;
    for (size_t i = 0; i < self->edges.count; i++) {
        struct smt_edge edge = self->edges.items[i];
        if (history->index[edge.from] >= prefix[history->events[edge.from].thread] ||
            history->index[edge.to] >= prefix[history->events[edge.to].thread])
            continue;
        if (self->is_swapped.items[i])
            edge = (struct smt_edge){edge.to, edge.from};
        array_push(&self->plan.orders, edge);
    }
}

struct smt_plan *smt_solver_plan(struct smt_solver *self)
{
    const struct smt_window *window = self->encoding->window;
    memcpy(self->plan.prefix, window->baseline,
           window->history->threads * sizeof *self->plan.prefix);
    self->plan.choices.count = self->is_swapped.count = 0;
    array_grow(&self->plan.choices, self->encoding->formula.choices);
    array_grow(&self->is_swapped, self->edges.count);
    read_trail(self);
    read_orders(self);
    return &self->plan;
}
