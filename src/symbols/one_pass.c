/* SPDX-License-Identifier: MIT */
#include "symbols/one_pass.h"

#include "base/array.h"
#include "symbols/code_walk.h"

#include <assert.h>

enum colour { WHITE, OPEN, DONE };

struct indices ARRAY_OF(size_t);

/* The two ways on; SIZE_MAX where there is none. */
static void ways_on(const struct function_code *function, size_t index, size_t ways[2])
{
    const struct instruction *one = &function->items[index];
    ways[0] = ways[1] = SIZE_MAX;
    if (one->flow != FLOW_JUMP && one->flow != FLOW_STOP && index + 1 < function->count)
        ways[0] = index + 1;
    if ((one->flow == FLOW_JUMP || one->flow == FLOW_BRANCH) && one->target &&
        !code_leaves(function, one))
        ways[1] = code_index(function, one->target);
    if (ways[1] != SIZE_MAX && ways[1] >= function->count)
        ways[1] = SIZE_MAX;
}

/* Depth first; an edge to what is still open goes back. */
static void visit(const struct function_code *function, uint8_t *edges, uint8_t *colours,
                  struct indices *open)
{
    while (open->count) {
        size_t index = array_last(open), ways[2];
        bool deeper = false;
        colours[index] = OPEN;
        ways_on(function, index, ways);
        for (int i = 0; i < 2 && !deeper; i++) {
            if (ways[i] == SIZE_MAX)
                continue;
            if (colours[ways[i]] == WHITE) {
                array_push(open, ways[i]);
                deeper = true;
            } else if (colours[ways[i]] == OPEN) {
                edges[index] |= i ? BACK_TARGET : BACK_NEXT;
            }
        }
        if (!deeper) {
            colours[index] = DONE;
            open->count--;
        }
    }
}

uint8_t *one_pass_edges(const struct function_code *function)
{
    uint8_t *edges = NEW_ARRAY(uint8_t, function->count);
    uint8_t *colours = NEW_ARRAY(uint8_t, function->count);
    struct indices open = {0};
    /* From the beginning, then from what is only reached through a table. */
    for (size_t i = 0; i < function->count; i++)
        if (colours[i] == WHITE) {
            array_push(&open, i);
            visit(function, edges, colours, &open);
        }
    array_free(&open);
    free(colours);
    return edges;
}

size_t one_pass_next(const struct function_code *function, const uint8_t *edges, size_t index,
                     size_t next[2])
{
    size_t ways[2], count = 0;
    assert(index < function->count);
    ways_on(function, index, ways);
    if (ways[0] != SIZE_MAX && !(edges[index] & BACK_NEXT))
        next[count++] = ways[0];
    if (ways[1] != SIZE_MAX && !(edges[index] & BACK_TARGET))
        next[count++] = ways[1];
    return count;
}

/* All that a pass comes to behind `from`. */
static bool *reached_from(const struct function_code *function, const uint8_t *edges, size_t from)
{
    bool *seen = NEW_ARRAY(bool, function->count);
    struct indices todo = {0};
    array_push(&todo, from);
    while (todo.count) {
        size_t next[2], count = one_pass_next(function, edges, array_pop(&todo), next);
        for (size_t i = 0; i < count; i++)
            if (!seen[next[i]]) {
                seen[next[i]] = true;
                array_push(&todo, next[i]);
            }
    }
    array_free(&todo);
    return seen;
}

/* Takes every instruction that it comes to out of `allowed`. */
static bool reaches_within(const struct function_code *function, bool *allowed, size_t from,
                           size_t to)
{
    struct indices todo = {0};
    bool found = from == to;
    array_push(&todo, from);
    while (todo.count && !found) {
        size_t ways[2];
        ways_on(function, array_pop(&todo), ways);
        for (int i = 0; i < 2; i++)
            if (ways[i] != SIZE_MAX && allowed[ways[i]]) {
                allowed[ways[i]] = false;
                found |= ways[i] == to;
                array_push(&todo, ways[i]);
            }
    }
    array_free(&todo);
    return found;
}

bool one_pass_reaches(const struct function_code *function, const uint8_t *edges, size_t from,
                      size_t via, size_t to)
{
    bool *allowed = reached_from(function, edges, from);
    bool reached = allowed[to] &&
                   (via == from || (allowed[via] && reaches_within(function, allowed, via, to)));
    free(allowed);
    return reached;
}
