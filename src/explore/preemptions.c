/* SPDX-License-Identifier: MIT */
#include "explore/preemptions.h"

#include "base/memory.h"
#include "explore/state.h"

#include <stdlib.h>

static bool can_go(const struct state_layout *layout, const struct state *state, uint32_t thread)
{
    return state_alive(layout, state, thread) && state_enabled(layout, state, thread);
}

uint32_t preemptions_of_last(const struct knowledge *knowledge)
{
    struct state_layout layout;
    uint32_t count = 0, last = 0;
    state_layout(&layout, knowledge);
    void *block = memory_alloc(layout.bytes, 1);
    struct state state = state_in(&layout, block);
    state_first(&layout, &state);
    for (size_t i = 0; i < knowledge->last.count && count != UINT32_MAX; i++) {
        const struct known_step *step = &knowledge->last.items[i];
        const struct known_edge *edge =
            state.node[step->thread] == step->node
                ? known_edge(&knowledge->nodes.items[step->node],
                             state_outcome(&layout, &state, step->thread))
                : NULL;
        if (!edge) {
            count = UINT32_MAX;
            break;
        }
        count += step->thread != last && can_go(&layout, &state, last);
        last = step->thread;
        state_step(&layout, &state, step->thread, edge, step->woken);
    }
    free(block);
    return count;
}
