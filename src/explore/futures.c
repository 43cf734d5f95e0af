/* SPDX-License-Identifier: MIT */
#include "explore/futures.h"

#include "base/memory.h"

#include <stdlib.h>

/* Bits of a node: words that are written, words that are used, objects. */
struct futures {
    uint64_t *bits;
    size_t row; /* in uint64_t */
    uint32_t words;
};

static void set(uint64_t *row, uint32_t bit)
{
    row[bit / 64] |= UINT64_C(1) << bit % 64;
}

static bool has(const uint64_t *row, uint32_t bit)
{
    return row[bit / 64] >> bit % 64 & 1;
}

static void add_own(const struct futures *futures, uint64_t *row, const struct known_node *node)
{
    if (known_is_access(node->op)) {
        set(row, futures->words + node->object);
        if (node->op != STEP_READ)
            set(row, node->object);
    } else if (node->op == STEP_FREE) {
        for (uint32_t i = node->object; i < node->object + node->words; i++) {
            set(row, i);
            set(row, futures->words + i);
        }
        for (uint32_t i = 0; i < node->objects; i++)
            set(row, 2 * futures->words + node->first_object + i);
    } else if (node->op >= STEP_LOCK && node->op < STEP_FORK) {
        set(row, 2 * futures->words + node->object);
    }
}

struct futures *futures_create(const struct knowledge *knowledge)
{
    struct futures *futures = NEW(struct futures);
    futures->words = (uint32_t)knowledge->words.count;
    futures->row = (2 * knowledge->words.count + knowledge->objects.count) / 64 + 1;
    futures->bits = NEW_ARRAY(uint64_t, futures->row * (knowledge->nodes.count + 1));
    for (size_t i = knowledge->nodes.count; i-- > 0;) { /* children stand behind their parents */
        const struct known_node *node = &knowledge->nodes.items[i];
        uint64_t *row = futures->bits + i * futures->row;
        add_own(futures, row, node);
        for (size_t k = 0; node->parent != NODE_NONE && k < futures->row; k++)
            futures->bits[node->parent * futures->row + k] |= row[k];
    }
    return futures;
}

void futures_destroy(struct futures *futures)
{
    if (!futures)
        return;
    free(futures->bits);
    free(futures);
}

/* The bits of the states of others that the operation must not meet. */
static bool meets(const struct futures *futures, const uint64_t *row, const struct known_node *node)
{
    if (node->op == STEP_READ)
        return has(row, node->object);
    if (known_is_access(node->op))
        return has(row, futures->words + node->object);
    if (node->op == STEP_FREE) {
        for (uint32_t i = node->object; i < node->object + node->words; i++)
            if (has(row, futures->words + i))
                return true;
        for (uint32_t i = 0; i < node->objects; i++)
            if (has(row, 2 * futures->words + node->first_object + i))
                return true;
        return false;
    }
    return has(row, 2 * futures->words + node->object);
}

bool futures_alone(const struct futures *futures, const struct state_layout *layout,
                   const struct state *state, uint32_t thread)
{
    const struct knowledge *knowledge = layout->knowledge;
    const struct known_node *node = &knowledge->nodes.items[state->node[thread]];
    if (node->op >= STEP_FORK || node->flags & STEP_ALONE)
        return true;
    for (uint32_t i = 0; i < layout->threads; i++) {
        uint32_t at = state->node[i];
        if (i == thread || at == STATE_ENDED || at == STATE_EXITED)
            continue;
        if (at == STATE_UNBORN)
            at = knowledge->threads.items[i].root;
        if (meets(futures, futures->bits + at * futures->row, node))
            return false;
    }
    return true;
}
