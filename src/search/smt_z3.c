/* The back end on Z3's C API. Orders become integers; Z3's default strategy for
 * difference logic is far slower here than its plain incremental core with the
 * graph-based arithmetic solver, so that one is asked for. */
#include "search/smt_solver.h"

#include <assert.h>
#include <z3.h>

struct smt_context {
    Z3_context z3;
};

struct smt_solver {
    struct smt_encoding *encoding;
    Z3_context context;
    Z3_solver solver;
    struct asts ARRAY_OF(Z3_ast) translated;     /* by smt_ref; NULL: not yet */
    Z3_ast *order;                               /* by pos - start: the event's integer */
    struct unstated ARRAY_OF(uint32_t) unstated; /* constraints it does not, ascending */
    struct unlinked ARRAY_OF(uint32_t) unlinked; /* events whose prefix Z3 may not know yet */
    const uint32_t *cone;                        /* of the last question */
    struct smt_model model;
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

static Z3_ast flag(struct smt_solver *self, const char *prefix, uint32_t number)
{
    char name[32];
    snprintf(name, sizeof name, "%s%u", prefix, number);
    return Z3_mk_const(self->context, Z3_mk_string_symbol(self->context, name),
                       Z3_mk_bool_sort(self->context));
}

static Z3_ast translate(struct smt_solver *self, smt_ref ref);

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
        return Z3_mk_lt(self->context, order_of(self, node->a), order_of(self, node->b));
    case SMT_EXECUTED:
        array_push(&self->unlinked, node->a);
        return flag(self, "x", node->a);
    case SMT_CHOICE:
        return flag(self, "c", node->a);
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

static void configure(struct smt_solver *self, uint32_t budget)
{
    Z3_params params = Z3_mk_params(self->context);
    Z3_params_inc_ref(self->context, params);
#define SYMBOL(text) Z3_mk_string_symbol(self->context, text)
    Z3_params_set_bool(self->context, params, SYMBOL("auto_config"), false);
    Z3_params_set_uint(self->context, params, SYMBOL("arith.solver"), 1);
    Z3_params_set_uint(self->context, params, SYMBOL("relevancy"), 0);
    if (budget)
        Z3_params_set_uint(self->context, params, SYMBOL("rlimit"), budget);
#undef SYMBOL
    Z3_solver_set_params(self->context, self->solver, params);
    Z3_params_dec_ref(self->context, params);
}

struct smt_solver *smt_solver_create(struct smt_context *context, struct smt_encoding *encoding,
                                     uint32_t budget)
{
    struct smt_solver *self = NEW(struct smt_solver);
    uint32_t threads = encoding->window->history->threads;
    self->encoding = encoding;
    self->context = context->z3;
    self->solver = Z3_mk_simple_solver(self->context);
    Z3_solver_inc_ref(self->context, self->solver);
    self->order = NEW_ARRAY(Z3_ast, encoding->window->end - encoding->window->start);
    self->model.executed = NEW_ARRAY(bool, encoding->used_offset[threads]);
    self->model.order = NEW_ARRAY(int64_t, encoding->used_offset[threads]);
    for (uint32_t i = 0; i < encoding->constraints.count; i++)
        array_push(&self->unstated, i);
    configure(self, budget);
    return self;
}

void smt_solver_destroy(struct smt_solver *self)
{
    if (!self)
        return;
    Z3_solver_dec_ref(self->context, self->solver);
    for (size_t i = 0; i < self->translated.count; i++)
        if (self->translated.items[i])
            Z3_dec_ref(self->context, self->translated.items[i]);
    for (uint32_t i = 0; i < self->encoding->window->end - self->encoding->window->start; i++)
        if (self->order[i])
            Z3_dec_ref(self->context, self->order[i]);
    array_free(&self->translated);
    array_free(&self->unstated);
    array_free(&self->unlinked);
    free(self->order);
    free(self->model.executed);
    free(self->model.order);
    free(self);
}

static void state_constraints(struct smt_solver *self, const uint32_t *cone)
{
    const struct smt_constraint *constraints = self->encoding->constraints.items;
    size_t kept = 0;
    for (size_t i = 0; i < self->unstated.count; i++) {
        uint32_t number = self->unstated.items[i];
        if (smt_is_relevant(self->encoding, &constraints[number], cone))
            Z3_solver_assert(self->context, self->solver,
                             translate(self, constraints[number].guarded));
        else
            self->unstated.items[kept++] = number;
    }
    self->unstated.count = kept;
}

/* No event without its predecessor: also for events that are mentioned but lie
 * outside the cone, where an assumption ends the thread. */
static void link_events(struct smt_solver *self)
{
    struct smt_encoding *encoding = self->encoding;
    while (self->unlinked.count) {
        uint32_t pos = array_pop(&self->unlinked);
        uint32_t before = smt_used_before(encoding, pos);
        if (before == POS_NONE)
            continue;
        Z3_ast idle =
            keep(self, Z3_mk_not(self->context, translate(self, smt_is_executed(encoding, pos))));
        Z3_ast either[2] = {idle, translate(self, smt_is_executed(encoding, before))};
        Z3_solver_assert(self->context, self->solver, Z3_mk_or(self->context, 2, either));
        Z3_dec_ref(self->context, idle);
    }
}

enum smt_answer smt_solver_ask(struct smt_solver *self, const uint32_t *cone,
                               const struct smt_refs *assumptions)
{
    state_constraints(self, cone);
    Z3_ast *list = memory_alloc(assumptions->count + 1, sizeof *list);
    for (size_t i = 0; i < assumptions->count; i++)
        list[i] = translate(self, assumptions->items[i]);
    link_events(self);
    Z3_lbool answer = Z3_solver_check_assumptions(self->context, self->solver,
                                                  (unsigned)assumptions->count, list);
    free(list);
    self->cone = cone;
    return answer == Z3_L_TRUE ? SMT_YES : answer == Z3_L_FALSE ? SMT_NO : SMT_UNKNOWN;
}

/* What the model says of a constant; NULL if it leaves it open. */
static Z3_ast value_of(struct smt_solver *self, Z3_model model, Z3_ast constant)
{
    return Z3_model_get_const_interp(
        self->context, model, Z3_get_app_decl(self->context, Z3_to_app(self->context, constant)));
}

/* Threads execute prefixes: behind the first event that is not executed, and
 * outside the cone, there is nothing to ask for. */
static void read_thread(struct smt_solver *self, Z3_model model, uint32_t thread)
{
    struct smt_encoding *encoding = self->encoding;
    const uint32_t *index = encoding->window->history->index;
    uint32_t end = encoding->used_offset[thread + 1];
    for (uint32_t i = encoding->used_offset[thread]; i < end; i++) {
        uint32_t pos = encoding->used[i];
        if (index[pos] >= self->cone[thread])
            break;
        Z3_ast executed = value_of(self, model, translate(self, smt_is_executed(encoding, pos)));
        if (!executed || Z3_get_bool_value(self->context, executed) != Z3_L_TRUE)
            break;
        Z3_ast order = value_of(self, model, order_of(self, pos));
        self->model.executed[i] = true;
        self->model.order[i] = 0;
        if (order)
            Z3_get_numeral_int64(self->context, order, &self->model.order[i]);
    }
}

const struct smt_model *smt_solver_model(struct smt_solver *self)
{
    uint32_t threads = self->encoding->window->history->threads;
    Z3_model model = Z3_solver_get_model(self->context, self->solver);
    assert(model);
    Z3_model_inc_ref(self->context, model);
    memset(self->model.executed, 0,
           self->encoding->used_offset[threads] * sizeof *self->model.executed);
    for (uint32_t thread = 0; thread < threads; thread++)
        read_thread(self, model, thread);
    Z3_model_dec_ref(self->context, model);
    return &self->model;
}
