/* SPDX-License-Identifier: MIT */
#include "base/components.h"

#include "base/array.h"

struct tarjan {
    uint32_t *number, *low, *cursor, *component;
    struct tarjan_nodes ARRAY_OF(uint32_t) open, calls;
    uint32_t numbers, components;
};

static void enter(struct tarjan *tarjan, uint32_t node)
{
    tarjan->number[node] = tarjan->low[node] = ++tarjan->numbers;
    array_push(&tarjan->open, node);
    array_push(&tarjan->calls, node);
}

static void leave(struct tarjan *tarjan, uint32_t node)
{
    tarjan->calls.count--;
    if (tarjan->low[node] == tarjan->number[node]) {
        uint32_t member;
        do {
            member = array_pop(&tarjan->open);
            tarjan->component[member] = tarjan->components;
        } while (member != node);
        tarjan->components++;
    }
    if (tarjan->calls.count) {
        uint32_t caller = array_last(&tarjan->calls);
        if (tarjan->low[node] < tarjan->low[caller])
            tarjan->low[caller] = tarjan->low[node];
    }
}

static void visit(struct tarjan *tarjan, uint32_t root, component_edge *edge, const void *graph)
{
    enter(tarjan, root);
    while (tarjan->calls.count) {
        uint32_t node = array_last(&tarjan->calls), to;
        if (!edge(graph, node, &tarjan->cursor[node], &to))
            leave(tarjan, node);
        else if (!tarjan->number[to])
            enter(tarjan, to);
        else if (tarjan->component[to] == UINT32_MAX && tarjan->number[to] < tarjan->low[node])
            tarjan->low[node] = tarjan->number[to];
    }
}

uint32_t *components_find(uint32_t nodes, component_edge *edge, const void *graph)
{
    struct tarjan tarjan = {
        .number = NEW_ARRAY(uint32_t, nodes),
        .low = NEW_ARRAY(uint32_t, nodes),
        .cursor = NEW_ARRAY(uint32_t, nodes),
        .component = NEW_ARRAY(uint32_t, nodes),
    };
    memset(tarjan.component, 0xff, nodes * sizeof *tarjan.component);
    for (uint32_t node = 0; node < nodes; node++)
        if (!tarjan.number[node])
            visit(&tarjan, node, edge, graph);
    free(tarjan.number);
    free(tarjan.low);
    free(tarjan.cursor);
    array_free(&tarjan.open);
    array_free(&tarjan.calls);
    return tarjan.component;
}
