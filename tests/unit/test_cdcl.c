/* The conflict-driven solver: against trying everything on small random problems, and,
 * with the constraints of traces, against the oracle. PREPLAY_SEEDS=N tries N of each
 * instead of a few. */
#include "base/random.h"
#include "oracle/oracle.h"
#include "constraints/cdcl.h"
#include "constraints/smt_own.h"
#include "tiddle/generator.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define NODES    5
#define FLAGS    4
#define ORDERS   7
#define CLAUSES  40
#define PER_TERM 4

static uint64_t seeds(uint64_t few)
{
    const char *text = getenv("PREPLAY_SEEDS");
    return text ? strtoull(text, NULL, 10) : few;
}

/* Literals are of the problem's own variables: first the flags, then the orders. */
struct problem {
    uint32_t order[ORDERS][2];
    cdcl_literal clauses[CLAUSES][PER_TERM];
    uint32_t lengths[CLAUSES], count;
    uint32_t edges[2][2], edge_count;
};

static void generate(struct problem *problem, struct random *random)
{
    *problem = (struct problem){.count = 6 + random_below(random, CLAUSES - 6),
                                .edge_count = random_below(random, 3)};
    for (uint32_t i = 0; i < ORDERS; i++) {
        uint32_t a = random_below(random, NODES), b = random_below(random, NODES - 1);
        problem->order[i][0] = a;
        problem->order[i][1] = b + (b >= a);
    }
    for (uint32_t i = 0; i < problem->edge_count; i++) {
        problem->edges[i][0] = random_below(random, NODES - 1);
        problem->edges[i][1] = problem->edges[i][0] + 1;
    }
    for (uint32_t i = 0; i < problem->count; i++) {
        problem->lengths[i] = 1 + (random_chance(random, 90) ? 1 + random_below(random, 3) : 0);
        for (uint32_t k = 0; k < problem->lengths[i]; k++)
            problem->clauses[i][k] = random_below(random, 2 * (FLAGS + ORDERS));
    }
}

/* `place` by node; `flags` as bits. */
static bool holds(const struct problem *problem, const uint32_t *place, uint32_t flags,
                  cdcl_literal literal)
{
    uint32_t number = literal / 2;
    bool value = number < FLAGS ? flags >> number & 1
                                : place[problem->order[number - FLAGS][0]] <
                                      place[problem->order[number - FLAGS][1]];
    return value != (literal & 1);
}

static bool is_model(const struct problem *problem, uint32_t clauses, const uint32_t *place,
                     uint32_t flags)
{
    for (uint32_t i = 0; i < problem->edge_count; i++)
        if (place[problem->edges[i][0]] >= place[problem->edges[i][1]])
            return false;
    for (uint32_t i = 0; i < clauses; i++) {
        bool satisfied = false;
        for (uint32_t k = 0; k < problem->lengths[i]; k++)
            satisfied |= holds(problem, place, flags, problem->clauses[i][k]);
        if (!satisfied)
            return false;
    }
    return true;
}

/* Tries all orders of the nodes, `count` of which have a place, and all flags. */
static bool is_satisfiable(const struct problem *problem, uint32_t clauses,
                           const cdcl_literal *asked, uint32_t *place, uint32_t count)
{
    if (count < NODES) {
        for (uint32_t i = 0; i < NODES; i++) {
            bool taken = false;
            for (uint32_t k = 0; k < count; k++)
                taken |= place[k] == i;
            place[count] = i;
            if (!taken && is_satisfiable(problem, clauses, asked, place, count + 1))
                return true;
        }
        return false;
    }
    for (uint32_t flags = 0; flags < 1 << FLAGS; flags++)
        if (holds(problem, place, flags, asked[0]) && holds(problem, place, flags, asked[1]) &&
            is_model(problem, clauses, place, flags))
            return true;
    return false;
}

struct solver {
    struct cdcl *cdcl;
    uint32_t variables[FLAGS + ORDERS];
};

static cdcl_literal translate(const struct solver *solver, cdcl_literal literal)
{
    return cdcl_positive(solver->variables[literal / 2]) ^ (literal & 1);
}

/* What the solver says is true makes every clause true. */
static void check_model(const struct problem *problem, const struct solver *solver,
                        uint32_t clauses)
{
    for (uint32_t i = 0; i < clauses; i++) {
        bool satisfied = false;
        for (uint32_t k = 0; k < problem->lengths[i]; k++) {
            cdcl_literal literal = translate(solver, problem->clauses[i][k]);
            bool is_true = cdcl_is_true(solver->cdcl, literal / 2);
            assert_true(is_true != cdcl_is_false(solver->cdcl, literal / 2));
            satisfied |= is_true != (literal & 1);
        }
        assert_true(satisfied);
    }
}

static void create(struct solver *solver, const struct problem *problem)
{
    uint32_t nodes[NODES];
    solver->cdcl = cdcl_create();
    for (uint32_t i = 0; i < NODES; i++)
        nodes[i] = cdcl_node(solver->cdcl, i);
    for (uint32_t i = 0; i < FLAGS; i++)
        solver->variables[i] = cdcl_variable(solver->cdcl);
    for (uint32_t i = 0; i < ORDERS; i++)
        solver->variables[FLAGS + i] =
            cdcl_order(solver->cdcl, nodes[problem->order[i][0]], nodes[problem->order[i][1]]);
    for (uint32_t i = 0; i < problem->edge_count; i++)
        cdcl_edge(solver->cdcl, nodes[problem->edges[i][0]], nodes[problem->edges[i][1]]);
}

/* Clauses come one by one, with questions in between. */
static void answers_are_true(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < seeds(500); seed++) {
        struct random random = {seed};
        struct problem problem;
        struct solver solver;
        generate(&problem, &random);
        create(&solver, &problem);
        for (uint32_t i = 0; i < problem.count; i++) {
            cdcl_literal literals[PER_TERM], asked[2];
            for (uint32_t k = 0; k < problem.lengths[i]; k++)
                literals[k] = translate(&solver, problem.clauses[i][k]);
            cdcl_clause(solver.cdcl, literals, problem.lengths[i]);
            if (!random_chance(&random, 40))
                continue;
            for (int k = 0; k < 2; k++) {
                asked[k] = random_below(&random, 2 * (FLAGS + ORDERS));
                literals[k] = translate(&solver, asked[k]);
            }
            uint32_t place[NODES];
            bool possible = is_satisfiable(&problem, i + 1, asked, place, 0);
            enum cdcl_answer answer = cdcl_solve(solver.cdcl, literals, 2, 1000000);
            if (answer != (possible ? CDCL_YES : CDCL_NO))
                fail_msg("seed %lu, %u clauses: %s", (unsigned long)seed, i + 1,
                         possible ? "it is possible" : "it is impossible");
            if (possible)
                check_model(&problem, &solver, i + 1);
        }
        cdcl_destroy(solver.cdcl);
    }
}

static void steps_are_limited(void **state)
{
    (void)state;
    struct cdcl *cdcl = cdcl_create(); /* pigeons and holes */
    enum { PIGEONS = 7, HOLES = 6 };
    uint32_t in[PIGEONS][HOLES];
    for (uint32_t i = 0; i < PIGEONS; i++) {
        cdcl_literal some[HOLES];
        for (uint32_t k = 0; k < HOLES; k++)
            some[k] = cdcl_positive(in[i][k] = cdcl_variable(cdcl));
        cdcl_clause(cdcl, some, HOLES);
        for (uint32_t other = 0; other < i; other++)
            for (uint32_t k = 0; k < HOLES; k++)
                cdcl_clause(cdcl,
                            (cdcl_literal[]){cdcl_not(cdcl_positive(in[i][k])),
                                             cdcl_not(cdcl_positive(in[other][k]))},
                            2);
    }
    assert_int_equal(cdcl_solve(cdcl, NULL, 0, 1000), CDCL_UNKNOWN);
    assert_true(cdcl_steps(cdcl) < 10000);
    assert_int_equal(cdcl_solve(cdcl, NULL, 0, UINT32_MAX), CDCL_NO);
    cdcl_destroy(cdcl);
}

/* Every conflicting pair of a trace, under a model. */
static void compare(struct oracle *oracle, const struct sample *sample, enum model model,
                    bool forget, const char *what)
{
    struct error error = {0};
    struct truth truth;
    const struct history *history = sample->history;
    struct oracle_options all = {.model = model};
    assert_int_equal(oracle_explore(oracle, history, &all, &truth, &error), 0);
    struct rules *rules = rules_create(history, model);
    struct smt_window *window = smt_window_create(rules, 0, history->count);
    struct smt_trial *trial = smt_trial_create(window);
    struct smt_own *own = smt_own_create(window);
    for (uint32_t a = 0; a < history->count; a++)
        for (uint32_t b = a + 1; b < history->count; b++) {
            if (!event_conflict(&history->events[a], &history->events[b]))
                continue;
            if (forget)
                smt_own_forget(own);
            enum smt_answer answer = smt_own_decide_pair(own, trial, a, b, 10000000);
            if (answer != (truth_races(&truth, a, b) ? SMT_YES : SMT_NO))
                fail_msg("%s %s: events %u and %u %s, the answer is %d\n%s", what,
                         model_text(model), a, b,
                         truth_races(&truth, a, b) ? "race" : "do not race", answer, sample->text);
        }
    smt_own_destroy(own);
    smt_trial_destroy(trial);
    smt_window_destroy(window);
    rules_destroy(rules);
    truth_free(&truth);
}

static void compare_many(const char *name, enum model model, bool forget)
{
    struct oracle *oracle = oracle_create();
    struct error error = {0};
    struct shape shape;
    char text[64];
    snprintf(text, sizeof text, "%s%s", name,
             model == MODEL_VALUE    ? ":values"
             : model == MODEL_BRANCH ? ":branches"
                                     : "");
    assert_int_equal(shape_parse(&shape, text, &error), 0);
    for (uint64_t seed = 0; seed < seeds(60); seed++) {
        struct sample sample;
        char what[128];
        assert_int_equal(sample_generate(&sample, &shape, seed, &error), 0);
        snprintf(what, sizeof what, "%s seed %lu", text, (unsigned long)seed);
        compare(oracle, &sample, model, forget, what);
        sample_free(&sample);
    }
    oracle_destroy(oracle);
}

static void pairs_of_traces_are_decided_exactly(void **state)
{
    (void)state;
    static const enum model models[] = {MODEL_VALUE, MODEL_RF, MODEL_BRANCH, MODEL_SYNC};
    for (size_t i = 0; shape_name(i) && strncmp(shape_name(i), "large", 5) != 0; i++)
        for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
            compare_many(shape_name(i), models[k], false);
            compare_many(shape_name(i), models[k], true);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_true),
        cmocka_unit_test(steps_are_limited),
        cmocka_unit_test(pairs_of_traces_are_decided_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
