/* SPDX-License-Identifier: MIT */
#include "explore/neighbours.h"

#include "base/memory.h"
#include "explore/futures.h"
#include "explore/state.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_IN_ALL = 1 << 20, QUESTIONS = 64, STATES_BYTES = 1 << 27 };

struct walking {
    const struct knowledge *knowledge;
    const struct map *asked;
    struct questions *questions;
    struct state_layout layout;
    struct futures *futures;
    unsigned char *states; /* before each step of the run */
    void *scratch;
    uint32_t steps; /* that are left */
    struct walked ARRAY_OF(struct known_step) walked;
    struct map found;
};

static const struct known_step *step_at(const struct walking *self, size_t number)
{
    return &self->knowledge->last.items[number];
}

static const struct known_edge *next_edge(const struct walking *self, const struct state *state,
                                          uint32_t thread)
{
    return known_edge(&self->knowledge->nodes.items[state->node[thread]],
                      state_outcome(&self->layout, state, thread));
}

/* How many steps of the run could be followed. */
static size_t follow_run(struct walking *self, size_t count)
{
    size_t bytes = self->layout.bytes;
    struct state state = state_in(&self->layout, self->scratch);
    state_first(&self->layout, &state);
    for (size_t i = 0; i < count; i++) {
        const struct known_step *step = step_at(self, i);
        memcpy(self->states + i * bytes, self->scratch, bytes);
        if (state.node[step->thread] != step->node)
            return i; /* memory changed by itself */
        const struct known_edge *edge = next_edge(self, &state, step->thread);
        if (!edge)
            return i;
        state_step(&self->layout, &state, step->thread, edge, step->woken);
    }
    return count;
}

static bool can_go(const struct walking *self, const struct state *state, uint32_t thread)
{
    return state_alive(&self->layout, state, thread) && state_enabled(&self->layout, state, thread);
}

/* A time limit that is not over yet can wait. */
static bool would_wait(const struct walking *self, const struct state *state, uint32_t thread)
{
    const struct known_node *node = &self->knowledge->nodes.items[state->node[thread]];
    return node->flags & STEP_TIMED && !state_outcome(&self->layout, state, thread);
}

static uint32_t next_thread(const struct walking *self, const struct state *state, uint32_t current,
                            uint32_t stopped, bool starved)
{
    if (can_go(self, state, current) && !(starved && current == stopped))
        return current;
    if (!starved && can_go(self, state, stopped) && !would_wait(self, state, stopped))
        return stopped;
    uint32_t late = UINT32_MAX;
    for (uint32_t i = 0; i < self->layout.threads; i++)
        if (can_go(self, state, i)) {
            if (!would_wait(self, state, i) && !(starved && i == stopped))
                return i;
            late = late == UINT32_MAX ? i : late;
        }
    return late;
}

static uint32_t first_waiter(const struct walking *self, const struct state *state, uint32_t thread)
{
    const struct known_node *node = &self->knowledge->nodes.items[state->node[thread]];
    for (uint32_t i = 0; node->op == STEP_SIGNAL && i < self->layout.threads; i++)
        if (state->queue[i] == node->object + 1)
            return i;
    return UINT32_MAX;
}

static void ask(struct walking *self, size_t before, uint32_t node, uint64_t seen)
{
    uint64_t identity = question_identity(self->knowledge, node, seen);
    bool added;
    if (map_find(self->asked, identity))
        return;
    map_at(&self->found, identity, &added);
    if (!added)
        return;
    struct question question = {.identity = identity, .node = node, .seen = seen, .cost = 1};
    for (size_t i = 0; i < before; i++)
        question_turn(&question, self->knowledge, step_at(self, i)->node, step_at(self, i)->woken);
    for (size_t i = 0; i < self->walked.count; i++)
        question_turn(&question, self->knowledge, self->walked.items[i].node,
                      self->walked.items[i].woken);
    question_turn(&question, self->knowledge, node, UINT32_MAX);
    array_push(self->questions, question);
}

/* `thread` goes on instead of the one that did, which comes next, or last of all. */
static void walk(struct walking *self, size_t before, uint32_t thread, bool starved)
{
    uint32_t stopped = step_at(self, before)->thread;
    struct state state = state_in(&self->layout, self->scratch);
    memcpy(self->scratch, self->states + before * self->layout.bytes, self->layout.bytes);
    self->walked.count = 0;
    while (self->steps && thread != UINT32_MAX) {
        const struct known_edge *edge = next_edge(self, &state, thread);
        self->steps--;
        if (!edge) {
            ask(self, before, state.node[thread], state_outcome(&self->layout, &state, thread));
            return;
        }
        struct known_step step = {.node = state.node[thread],
                                  .thread = thread,
                                  .woken = first_waiter(self, &state, thread)};
        array_push(&self->walked, step);
        state_step(&self->layout, &state, thread, edge, step.woken);
        if (state.node[thread] == STATE_EXITED ||
            (state.node[thread] < STATE_EXITED && !state_alive(&self->layout, &state, thread)))
            return; /* and with it the process */
        thread = next_thread(self, &state, thread, stopped, starved);
    }
}

/* Stopping a thread before what concerns no other is the same as stopping it after that. */
static bool is_worth_it(struct walking *self, size_t number)
{
    struct state state = state_in(&self->layout, self->states + number * self->layout.bytes);
    return !futures_alone(self->futures, &self->layout, &state, step_at(self, number)->thread);
}

static void walk_all(struct walking *self, size_t count)
{
    for (size_t i = count; i-- > 0;) {
        struct state state = state_in(&self->layout, self->states + i * self->layout.bytes);
        if (!is_worth_it(self, i))
            continue;
        for (uint32_t k = 0; k < self->layout.threads; k++)
            if (k != step_at(self, i)->thread && can_go(self, &state, k)) {
                walk(self, i, k, false);
                walk(self, i, k, true);
                if (!self->steps || self->questions->count >= QUESTIONS)
                    return;
            }
    }
}

void neighbours_find(const struct knowledge *knowledge, const struct map *asked,
                     struct questions *questions)
{
    struct walking self = {
        .knowledge = knowledge, .asked = asked, .questions = questions, .steps = STEPS_IN_ALL};
    state_layout(&self.layout, knowledge);
    size_t count = knowledge->last.count, most = STATES_BYTES / (self.layout.bytes + 1);
    if (count > most)
        count = most;
    if (!count)
        return;
    self.futures = futures_create(knowledge);
    self.scratch = memory_alloc(self.layout.bytes, 1);
    self.states = memory_alloc(count, self.layout.bytes);
    walk_all(&self, follow_run(&self, count));
    futures_destroy(self.futures);
    free(self.scratch);
    free(self.states);
    array_free(&self.walked);
    map_free(&self.found);
}
