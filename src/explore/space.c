/* SPDX-License-Identifier: MIT */
#include "explore/space.h"

#include "base/memory.h"
#include "explore/futures.h"
#include "explore/state.h"
#include "explore/likeness.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

/* How a state was reached. */
struct step {
    uint32_t before; /* in visit.steps */
    uint16_t thread, woken;
    uint32_t node;
    uint32_t cost;
};

#define NOBODY UINT16_MAX
#define START  UINT32_MAX

/* States of one cost that are to be visited, in the order in which they were found. */
struct level {
    unsigned char *blocks;
    struct level_steps ARRAY_OF(uint32_t) steps;
    size_t taken, capacity;
};

struct visit {
    const struct knowledge *knowledge;
    const struct space_limits *limits;
    struct space_answer *answer;
    struct state_layout layout;
    struct futures *futures;
    struct likeness *likeness; /* NULL: no two threads are alike, or it matters which one ran */
    void *normal;              /* a state */
    struct steps ARRAY_OF(struct step) steps;
    struct levels ARRAY_OF(struct level) levels;
    struct map seen;      /* hashes of states */
    struct map questions; /* identities that were found in this visit */
    void *scratch;
    uint64_t spent, level_spent;
    uint32_t questions_left;
};

enum { LEVEL_SHARE = 4 }; /* one level may take this part of all */

/* --- states to visit ----------------------------------------------------------------------------
 */

static uint64_t hash_state(const struct visit *visit, const void *block, uint32_t last)
{
    /* With a limit of preemptions it matters who ran. */
    uint64_t seed = visit->limits->cost == UINT32_MAX ? 0 : last + 1;
    uint64_t hash = XXH3_64bits_withSeed(block, visit->layout.bytes, seed);
    return hash == UINT64_MAX ? 0 : hash;
}

static bool is_new(struct visit *visit, const struct state *state, uint32_t last)
{
    const void *block = state->word;
    bool added;
    if (visit->likeness) {
        struct state normal = state_in(&visit->layout, visit->normal);
        likeness_normalise(visit->likeness, state, &normal);
        block = visit->normal;
    }
    map_at(&visit->seen, hash_state(visit, block, last), &added);
    return added;
}

static void put(struct visit *visit, const void *block, const struct step *step)
{
    if (visit->levels.count <= step->cost)
        array_grow(&visit->levels, step->cost + 1);
    struct level *level = &visit->levels.items[step->cost];
    size_t bytes = visit->layout.bytes, at = level->steps.count;
    if (at == level->capacity) {
        level->capacity = level->capacity ? level->capacity * 2 : 64;
        level->blocks = memory_resize(level->blocks, level->capacity, bytes);
    }
    memcpy(level->blocks + at * bytes, block, bytes);
    array_push(&visit->steps, *step);
    array_push(&level->steps, (uint32_t)visit->steps.count - 1);
    visit->spent += bytes + sizeof *step;
    visit->level_spent += bytes + sizeof *step;
}

/* --- questions ----------------------------------------------------------------------------------
 */

static void add_way(const struct visit *visit, struct question *question, uint32_t step)
{
    struct way ARRAY_OF(uint32_t) way = {0};
    for (; step != START; step = visit->steps.items[step].before)
        array_push(&way, step);
    while (way.count) {
        const struct step *done = &visit->steps.items[array_pop(&way)];
        if (done->node != NODE_NONE)
            question_turn(question, visit->knowledge, done->node,
                          done->woken == NOBODY ? UINT32_MAX : done->woken);
    }
    array_free(&way);
}

static void ask(struct visit *visit, uint32_t step, uint32_t node, uint64_t seen, uint64_t identity,
                uint32_t cost)
{
    bool added;
    if (!visit->questions_left || map_find(visit->limits->asked, identity))
        return;
    map_at(&visit->questions, identity, &added);
    if (!added)
        return;
    struct question question = {.identity = identity, .node = node, .seen = seen, .cost = cost};
    add_way(visit, &question, step);
    if (node != NODE_NONE)
        question_turn(&question, visit->knowledge, node, UINT32_MAX);
    array_push(&visit->answer->questions, question);
    visit->questions_left--;
}

/* --- steps from a state -------------------------------------------------------------------------
 */

struct here {
    struct state state;
    const void *block;
    uint32_t step; /* that led here */
    uint32_t last; /* who ran */
    uint32_t cost;
};

static uint32_t cost_of(const struct visit *visit, const struct here *here, uint32_t thread)
{
    if (thread == here->last || !state_alive(&visit->layout, &here->state, here->last) ||
        !state_enabled(&visit->layout, &here->state, here->last))
        return here->cost;
    return here->cost + 1;
}

static void take(struct visit *visit, const struct here *here, uint32_t thread,
                 const struct known_edge *edge, uint32_t woken, uint32_t cost)
{
    struct state next = state_in(&visit->layout, visit->scratch);
    memcpy(visit->scratch, here->block, visit->layout.bytes);
    state_step(&visit->layout, &next, thread, edge, woken);
    if (!is_new(visit, &next, thread))
        return;
    put(visit, visit->scratch,
        &(struct step){.before = here->step,
                       .thread = (uint16_t)thread,
                       .woken = woken == UINT32_MAX ? NOBODY : (uint16_t)woken,
                       .node = here->state.node[thread],
                       .cost = cost});
}

/* A signal wakes any of those who wait. */
static void take_signal(struct visit *visit, const struct here *here, uint32_t thread,
                        const struct known_edge *edge, uint32_t object, uint32_t cost)
{
    bool any = false;
    for (uint32_t i = 0; i < visit->layout.threads; i++)
        if (here->state.queue[i] == object + 1) {
            take(visit, here, thread, edge, i, cost);
            any = true;
        }
    if (!any)
        take(visit, here, thread, edge, UINT32_MAX, cost);
}

static void try_thread(struct visit *visit, const struct here *here, uint32_t thread, bool alone)
{
    const struct known_node *node = &visit->knowledge->nodes.items[here->state.node[thread]];
    uint64_t seen = state_outcome(&visit->layout, &here->state, thread);
    const struct known_edge *edge = known_edge(node, seen);
    uint32_t cost = alone ? here->cost : cost_of(visit, here, thread);
    if (cost > visit->limits->cost)
        return;
    if (!edge)
        ask(visit, here->step, here->state.node[thread], seen,
            question_identity(visit->knowledge, here->state.node[thread], seen), cost);
    else if (node->op == STEP_SIGNAL)
        take_signal(visit, here, thread, edge, node->object, cost);
    else
        take(visit, here, thread, edge, UINT32_MAX, cost);
}

static bool can_try(const struct visit *visit, const struct here *here, uint32_t thread)
{
    return state_alive(&visit->layout, &here->state, thread) &&
           state_enabled(&visit->layout, &here->state, thread) &&
           !(visit->likeness && likeness_waits(visit->likeness, &here->state, thread));
}

/* Its next outcome is known, and does not end the process: others may go first then, for they
 * cannot go later. */
static bool goes_on(const struct visit *visit, const struct here *here, uint32_t thread)
{
    const struct known_node *node = &visit->knowledge->nodes.items[here->state.node[thread]];
    const struct known_edge *edge =
        known_edge(node, state_outcome(&visit->layout, &here->state, thread));
    return edge && !(node->op == STEP_END && node->made) &&
           visit->knowledge->nodes.items[edge->to].fatal != FATAL_AT_ONCE;
}

/* Nobody can go on, and not because the process has ended. */
static void judge_end(struct visit *visit, const struct here *here)
{
    uint64_t identity = 1;
    bool any = false;
    for (uint32_t i = 0; i < visit->layout.threads; i++) {
        uint32_t node = here->state.node[i];
        if (node == STATE_UNBORN || node == STATE_ENDED)
            continue;
        if (visit->knowledge->nodes.items[node].fatal)
            return;
        any = true;
        identity = question_mix(identity, visit->knowledge->nodes.items[node].pc + i);
    }
    if (any)
        ask(visit, here->step, NODE_NONE, 0, identity == UINT64_MAX ? 0 : identity, here->cost);
}

static bool has_ended(const struct visit *visit, const struct here *here)
{
    for (uint32_t i = 0; i < visit->layout.threads; i++) {
        uint32_t node = here->state.node[i];
        if (node == STATE_EXITED ||
            (node < STATE_EXITED && visit->knowledge->nodes.items[node].fatal == FATAL_AT_ONCE))
            return true;
    }
    return false;
}

static bool in_focus(const struct visit *visit, uint32_t thread)
{
    return !visit->limits->focus || visit->limits->focus[thread];
}

static void expand(struct visit *visit, const struct here *here)
{
    bool any = false;
    if (has_ended(visit, here))
        return;
    for (uint32_t i = 0; visit->limits->cost == UINT32_MAX && i < visit->layout.threads; i++)
        if (can_try(visit, here, i) && goes_on(visit, here, i) &&
            futures_alone(visit->futures, &visit->layout, &here->state, i)) {
            try_thread(visit, here, i, true);
            return;
        }
    for (uint32_t i = 0; i < visit->layout.threads; i++) {
        uint32_t thread = (here->last + i) % visit->layout.threads;
        if (!in_focus(visit, thread) || !can_try(visit, here, thread))
            continue;
        any = true;
        try_thread(visit, here, thread, false);
    }
    for (uint32_t i = 0; !any && i < visit->layout.threads; i++) {
        uint32_t thread = (here->last + i) % visit->layout.threads;
        any = can_try(visit, here, thread);
        if (any)
            try_thread(visit, here, thread, false);
    }
    if (!any)
        judge_end(visit, here);
}

/* --- the visit ----------------------------------------------------------------------------------
 */

static double clock_now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool is_spent(const struct visit *visit)
{
    enum { BETWEEN = 256 }; /* looks at the clock */
    if (visit->limits->until > 0 && visit->answer->states % BETWEEN == 0 &&
        clock_now() > visit->limits->until)
        return true;
    return visit->spent > visit->limits->bytes || !visit->questions_left;
}

/* False if states are left. A level may not take all there is: the first states of the next one
 * tell more than the last of this. */
static bool visit_level(struct visit *visit, uint32_t cost, void *block)
{
    visit->level_spent = 0;
    while (visit->levels.items[cost].taken < visit->levels.items[cost].steps.count) {
        struct level *level = &visit->levels.items[cost];
        if (is_spent(visit) || visit->level_spent > visit->limits->bytes / LEVEL_SHARE)
            return false;
        size_t at = level->taken++;
        memcpy(block, level->blocks + at * visit->layout.bytes, visit->layout.bytes);
        uint32_t step = level->steps.items[at];
        struct here here = {.state = state_in(&visit->layout, block),
                            .block = block,
                            .step = step,
                            .last = visit->steps.items[step].thread,
                            .cost = cost};
        visit->answer->states++;
        expand(visit, &here);
    }
    return true;
}

static void begin(struct visit *visit, void *block)
{
    struct state first = state_in(&visit->layout, block);
    state_first(&visit->layout, &first);
    is_new(visit, &first, 0);
    put(visit, block,
        &(struct step){.before = START, .thread = 0, .woken = NOBODY, .node = NODE_NONE});
}

void space_visit(const struct knowledge *knowledge, const struct space_limits *limits,
                 struct space_answer *answer)
{
    struct visit visit = {
        .knowledge = knowledge, .limits = limits, .answer = answer, .questions_left = limits->most};
    *answer = (struct space_answer){.whole = true};
    state_layout(&visit.layout, knowledge);
    visit.futures = futures_create(knowledge);
    if (limits->cost == UINT32_MAX && !limits->focus)
        visit.likeness = likeness_create(&visit.layout);
    visit.normal = memory_alloc(visit.layout.bytes, 1);
    void *block = memory_alloc(visit.layout.bytes, 1);
    visit.scratch = memory_alloc(visit.layout.bytes, 1);
    begin(&visit, block);
    for (uint32_t cost = 0; cost < visit.levels.count; cost++) {
        answer->whole &= visit_level(&visit, cost, block);
        free(visit.levels.items[cost].blocks);
        array_free(&visit.levels.items[cost].steps);
    }
    free(block);
    free(visit.scratch);
    free(visit.normal);
    likeness_destroy(visit.likeness);
    futures_destroy(visit.futures);
    array_free(&visit.steps);
    array_free(&visit.levels);
    map_free(&visit.seen);
    map_free(&visit.questions);
}
