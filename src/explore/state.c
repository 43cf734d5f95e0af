/* SPDX-License-Identifier: MIT */
#include "explore/state.h"

#include <assert.h>
#include <string.h>

void state_layout(struct state_layout *layout, const struct knowledge *knowledge)
{
    *layout = (struct state_layout){.knowledge = knowledge,
                                    .threads = (uint32_t)knowledge->threads.count,
                                    .words = (uint32_t)knowledge->words.count,
                                    .objects = (uint32_t)knowledge->objects.count};
    layout->bytes = layout->words * sizeof(uint64_t) + /* a multiple of eight, too */
                    (layout->objects + layout->threads) * 2 * sizeof(uint32_t);
}

struct state state_in(const struct state_layout *layout, void *block)
{
    struct state state = {.word = block};
    state.owner = (uint32_t *)(state.word + layout->words);
    state.value = state.owner + layout->objects;
    state.node = state.value + layout->objects;
    state.queue = state.node + layout->threads;
    return state;
}

void state_first(const struct state_layout *layout, struct state *state)
{
    memset(state->word, 0, layout->bytes);
    if (layout->words)
        memcpy(state->word, layout->knowledge->initial.items, layout->words * sizeof(uint64_t));
    for (uint32_t i = 1; i < layout->threads; i++)
        state->node[i] = STATE_UNBORN;
    state->node[0] = layout->knowledge->threads.items[0].root;
}

static const struct known_node *next_of(const struct state_layout *layout,
                                        const struct state *state, uint32_t thread)
{
    return &layout->knowledge->nodes.items[state->node[thread]];
}

static uint64_t outcome_of_word(const struct state *state, const struct known_node *node)
{
    uint64_t word = state->word[node->object];
    if (word == KEY_FREED)
        return KEY_FREED;
    return node->op == STEP_WRITE ? 0 : word & known_mask(node->offset, node->size);
}

static bool is_freed(const struct state *state, const struct known_node *node)
{
    return node->op >= STEP_LOCK && node->op < STEP_FORK &&
           state->owner[node->object] == OWNER_FREED;
}

/* A block may hold nothing but a lock that others use. */
static bool is_freed_again(const struct state *state, const struct known_node *node)
{
    return node->words ? state->word[node->object] == KEY_FREED
                       : state->owner[node->first_object] == OWNER_FREED;
}

static bool is_taken(const struct state *state, const struct known_node *node)
{
    bool reads = node->op == STEP_READ_LOCK || node->op == STEP_TRY_READ_LOCK;
    return state->owner[node->object] || (!reads && state->value[node->object]);
}

uint64_t state_outcome(const struct state_layout *layout, const struct state *state,
                       uint32_t thread)
{
    const struct known_node *node = next_of(layout, state, thread);
    if (is_freed(state, node))
        return KEY_FREED;
    switch (node->op) {
    case STEP_NONE:
        return KEY_UNKNOWN;
    case STEP_READ:
    case STEP_WRITE:
    case STEP_UPDATE:
        return outcome_of_word(state, node);
    case STEP_FREE:
        return is_freed_again(state, node) ? KEY_FREED : 0;
    case STEP_TRY_LOCK:
    case STEP_TRY_READ_LOCK:
    case STEP_TRY_WRITE_LOCK:
        return !is_taken(state, node);
    case STEP_TRY_WAIT:
        return state->value[node->object] > 0;
    case STEP_AWAKE:
        return !state->queue[thread];
    case STEP_ONCE:
        return state->value[node->object] == 0;
    default:
        return 0;
    }
}

/* Would a loop that only reads see what it saw the last time? */
static bool would_repeat(const struct state_layout *layout, const struct state *state,
                         const struct known_node *node)
{
    const struct known_node *at = node;
    while (at->parent != NODE_NONE) {
        uint64_t seen = at->via;
        at = &layout->knowledge->nodes.items[at->parent];
        if (at->count + node->loop < node->count)
            return true;
        if (known_is_access(at->op) && at->op != STEP_WRITE && outcome_of_word(state, at) != seen)
            return false;
        if (at->op == STEP_WRITE &&
            (state->word[at->object] & known_mask(at->offset, at->size)) != at->made)
            return false;
        if ((at->op == STEP_TRY_LOCK || at->op == STEP_TRY_WRITE_LOCK ||
             at->op == STEP_TRY_READ_LOCK) &&
            !is_taken(state, at))
            return false;
        if (at->op == STEP_TRY_WAIT && state->value[at->object])
            return false;
    }
    return true;
}

bool state_enabled(const struct state_layout *layout, const struct state *state, uint32_t thread)
{
    const struct known_node *node = next_of(layout, state, thread);
    if (node->flags & STEP_SPINS && would_repeat(layout, state, node))
        return false;
    if (is_freed(state, node))
        return true;
    switch (node->op) {
    case STEP_LOCK:
    case STEP_READ_LOCK:
    case STEP_WRITE_LOCK:
        return !is_taken(state, node);
    case STEP_AWAKE:
        return !state->queue[thread] || node->flags & STEP_TIMED;
    case STEP_LEAVE:
        return !state->queue[thread];
    case STEP_WAIT:
        return state->value[node->object] > 0;
    case STEP_ONCE:
        return state->value[node->object] != 1;
    case STEP_JOIN:
        return state->node[node->object] == STATE_ENDED;
    default:
        return true;
    }
}

static void wake_all(const struct state_layout *layout, struct state *state, uint32_t object)
{
    for (uint32_t i = 0; i < layout->threads; i++)
        if (state->queue[i] == object + 1)
            state->queue[i] = 0;
}

static void enter_barrier(const struct state_layout *layout, struct state *state, uint32_t thread,
                          const struct known_node *node)
{
    uint64_t inside = 1;
    for (uint32_t i = 0; i < layout->threads; i++)
        inside += state->queue[i] == node->object + 1;
    if (inside >= node->made)
        wake_all(layout, state, node->object);
    else
        state->queue[thread] = node->object + 1;
}

static void step_object(const struct state_layout *layout, struct state *state, uint32_t thread,
                        const struct known_node *node, uint64_t seen)
{
    uint32_t *owner = &state->owner[node->object], *value = &state->value[node->object];
    switch (node->op) {
    case STEP_TRY_LOCK:
    case STEP_TRY_WRITE_LOCK:
        *owner = seen ? thread + 1 : *owner;
        break;
    case STEP_LOCK:
    case STEP_WRITE_LOCK:
        *owner = thread + 1;
        break;
    case STEP_UNLOCK:
        *owner = 0;
        break;
    case STEP_TRY_READ_LOCK:
        *value += (uint32_t)seen;
        break;
    case STEP_READ_LOCK:
    case STEP_POST:
        ++*value;
        break;
    case STEP_UNLOCK_EITHER:
        *value -= !*owner && *value;
        *owner = 0;
        break;
    case STEP_QUEUE:
        state->queue[thread] = node->object + 1;
        break;
    case STEP_AWAKE:
        state->queue[thread] = 0;
        break;
    case STEP_BROADCAST:
        wake_all(layout, state, node->object);
        break;
    case STEP_ENTER:
        enter_barrier(layout, state, thread, node);
        break;
    case STEP_SET:
        *owner = 0;
        *value = (uint32_t)node->made;
        break;
    case STEP_WAIT:
        --*value;
        break;
    case STEP_TRY_WAIT:
        *value -= (uint32_t)seen;
        break;
    case STEP_ONCE:
        *value += (uint32_t)seen;
        break;
    case STEP_ONCE_DONE:
        *value = (uint32_t)node->made;
        break;
    default:
        break; /* what a signal does is a choice */
    }
}

static void step_memory(struct state *state, const struct known_node *node,
                        const struct known_edge *edge)
{
    uint64_t mask = known_mask(node->offset, node->size), *word = &state->word[node->object];
    if (node->op == STEP_FREE) {
        for (uint32_t i = 0; i < node->words; i++)
            word[i] = KEY_FREED;
        for (uint32_t i = 0; i < node->objects; i++)
            state->owner[node->first_object + i] = OWNER_FREED;
    } else if (node->op != STEP_READ)
        *word = (*word & ~mask) | ((node->op == STEP_WRITE ? node->made : edge->made) & mask);
}

void state_step(const struct state_layout *layout, struct state *state, uint32_t thread,
                const struct known_edge *edge, uint32_t woken)
{
    const struct known_node *node = next_of(layout, state, thread);
    if (known_is_access(node->op) || node->op == STEP_FREE)
        step_memory(state, node, edge);
    else if (node->op == STEP_FORK)
        state->node[node->object] = layout->knowledge->threads.items[node->object].root;
    else if (node->op < STEP_FORK)
        step_object(layout, state, thread, node, edge->seen);
    if (woken != UINT32_MAX)
        state->queue[woken] = 0;
    state->node[thread] = node->op != STEP_END ? edge->to : node->made ? STATE_EXITED : STATE_ENDED;
}
