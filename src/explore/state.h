/* SPDX-License-Identifier: MIT */
/* One state of space.h, and what a step makes of it. */
#ifndef PREPLAY_EXPLORE_STATE_H
#define PREPLAY_EXPLORE_STATE_H

#include "explore/knowledge.h"

/* In the place of a node: a thread that has not begun, one that has ended, one that has ended the
 * process. */
#define STATE_UNBORN UINT32_MAX
#define STATE_ENDED  (UINT32_MAX - 1)
#define STATE_EXITED (UINT32_MAX - 2)

#define OWNER_FREED UINT32_MAX

struct state_layout {
    const struct knowledge *knowledge;
    uint32_t threads, words, objects;
    size_t bytes; /* of a state */
};

/* A state is one block of memory: the words, then of each object who owns it and how many, then of
 * each thread its node and what it waits for. */
struct state {
    uint64_t *word;
    uint32_t *owner; /* thread + 1; OWNER_FREED: its memory is gone */
    uint32_t *value; /* readers, a semaphore's count, how far a once is */
    uint32_t *node;
    uint32_t *queue; /* object + 1 */
};

void state_layout(struct state_layout *layout, const struct knowledge *knowledge);
struct state state_in(const struct state_layout *layout, void *block);
void state_first(const struct state_layout *layout, struct state *state);

/* Can the thread take its next step? It does not block, and is not just reading the same again. */
bool state_enabled(const struct state_layout *layout, const struct state *state, uint32_t thread);
/* The outcome that the step will have. */
uint64_t state_outcome(const struct state_layout *layout, const struct state *state,
                       uint32_t thread);
/* Takes it, along a known edge. `woken` is the thread that a signal wakes, UINT32_MAX: none. */
void state_step(const struct state_layout *layout, struct state *state, uint32_t thread,
                const struct known_edge *edge, uint32_t woken);

static inline bool state_alive(const struct state_layout *layout, const struct state *state,
                               uint32_t thread)
{
    uint32_t node = state->node[thread];
    return node < STATE_EXITED && !layout->knowledge->nodes.items[node].fatal;
}

#endif
