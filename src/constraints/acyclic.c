/* SPDX-License-Identifier: MIT */
#include "constraints/acyclic.h"

struct edge {
    uint32_t node, label;
};

struct edges ARRAY_OF(struct edge);

struct node {
    uint32_t place;
    uint32_t round;         /* of the walk that met it last */
    uint32_t parent, label; /* how the last walk forward came here */
    struct edges out, in;
};

struct met ARRAY_OF(uint32_t);

struct acyclic {
    struct nodes ARRAY_OF(struct node) nodes;
    uint32_t round;
    uint64_t steps;
    struct met before, after, places; /* of a move */
};

struct acyclic *acyclic_create(void)
{
    return NEW(struct acyclic);
}

void acyclic_destroy(struct acyclic *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < graph->nodes.count; i++) {
        array_free(&graph->nodes.items[i].out);
        array_free(&graph->nodes.items[i].in);
    }
    array_free(&graph->nodes);
    array_free(&graph->before);
    array_free(&graph->after);
    array_free(&graph->places);
    free(graph);
}

uint64_t acyclic_steps(const struct acyclic *graph)
{
    return graph->steps;
}

uint32_t acyclic_node(struct acyclic *graph, uint32_t place)
{
    array_push(&graph->nodes, ((struct node){.place = place}));
    return (uint32_t)graph->nodes.count - 1;
}

static void meet(struct acyclic *graph, struct met *met, uint32_t node)
{
    graph->nodes.items[node].round = graph->round;
    graph->steps++;
    array_push(met, node);
}

/* Whatever `from` leads to, up to the place of `to`; true if that is among it. */
static bool walk_forward(struct acyclic *graph, uint32_t from, uint32_t to)
{
    struct node *nodes = graph->nodes.items;
    uint32_t last = nodes[to].place;
    graph->round++;
    graph->after.count = 0;
    meet(graph, &graph->after, from);
    for (size_t i = 0; i < graph->after.count; i++) {
        uint32_t at = graph->after.items[i];
        for (size_t k = 0; k < nodes[at].out.count; k++) {
            struct edge edge = nodes[at].out.items[k];
            struct node *next = &nodes[edge.node];
            if (next->round == graph->round || next->place > last)
                continue;
            next->parent = at;
            next->label = edge.label;
            meet(graph, &graph->after, edge.node);
            if (edge.node == to)
                return true;
        }
    }
    return false;
}

/* Whatever leads to `to`, down to the place of `from`. The walk forward from there has
 * not met any of it. */
static void walk_backward(struct acyclic *graph, uint32_t from, uint32_t to)
{
    struct node *nodes = graph->nodes.items;
    uint32_t first = nodes[from].place;
    graph->before.count = 0;
    meet(graph, &graph->before, to);
    for (size_t i = 0; i < graph->before.count; i++) {
        const struct edges *in = &nodes[graph->before.items[i]].in;
        for (size_t k = 0; k < in->count; k++) {
            uint32_t next = in->items[k].node;
            if (nodes[next].round != graph->round && nodes[next].place > first)
                meet(graph, &graph->before, next);
        }
    }
}

/* Makes a heap again of the first `count` but for `hole`, the greatest place on top. */
static void sink(const struct node *nodes, uint32_t *items, size_t hole, size_t count)
{
    uint32_t moved = items[hole];
    for (size_t child; (child = 2 * hole + 1) < count; hole = child) {
        if (child + 1 < count && nodes[items[child + 1]].place > nodes[items[child]].place)
            child++;
        if (nodes[items[child]].place <= nodes[moved].place)
            break;
        items[hole] = items[child];
    }
    items[hole] = moved;
}

static void sort_many(const struct node *nodes, uint32_t *items, size_t count)
{
    for (size_t i = count / 2; i--;)
        sink(nodes, items, i, count);
    while (count-- > 1) {
        uint32_t greatest = items[0];
        items[0] = items[count];
        items[count] = greatest;
        sink(nodes, items, 0, count);
    }
}

/* Mostly a few nodes; a plan for a long trace can move thousands. */
static void sort_by_place(const struct acyclic *graph, struct met *met)
{
    enum { FEW = 24 };
    const struct node *nodes = graph->nodes.items;
    if (met->count > FEW) {
        sort_many(nodes, met->items, met->count);
        return;
    }
    for (size_t i = 1; i < met->count; i++) {
        uint32_t moved = met->items[i];
        size_t hole = i;
        for (; hole && nodes[met->items[hole - 1]].place > nodes[moved].place; hole--)
            met->items[hole] = met->items[hole - 1];
        met->items[hole] = moved;
    }
}

/* The nodes of `before` and then those of `after` share out the places they have. */
static void move(struct acyclic *graph)
{
    struct node *nodes = graph->nodes.items;
    struct met *before = &graph->before, *after = &graph->after;
    sort_by_place(graph, before);
    sort_by_place(graph, after);
    graph->places.count = 0;
    for (size_t i = 0, k = 0; i < before->count || k < after->count;) {
        bool first = k == after->count || (i < before->count && nodes[before->items[i]].place <
                                                                    nodes[after->items[k]].place);
        uint32_t node = first ? before->items[i++] : after->items[k++];
        array_push(&graph->places, nodes[node].place);
    }
    for (size_t i = 0; i < before->count; i++)
        nodes[before->items[i]].place = graph->places.items[i];
    for (size_t i = 0; i < after->count; i++)
        nodes[after->items[i]].place = graph->places.items[before->count + i];
}

bool acyclic_leads(struct acyclic *graph, uint32_t from, uint32_t to, struct acyclic_labels *way)
{
    const struct node *nodes = graph->nodes.items;
    way->count = 0;
    if (from == to)
        return true;
    if (nodes[from].place > nodes[to].place || !walk_forward(graph, from, to))
        return false;
    for (uint32_t node = to; node != from; node = nodes[node].parent)
        array_push(way, nodes[node].label);
    return true;
}

bool acyclic_add(struct acyclic *graph, uint32_t from, uint32_t to, uint32_t label,
                 struct acyclic_labels *cycle)
{
    struct node *nodes = graph->nodes.items;
    if (nodes[from].place >= nodes[to].place) {
        if (acyclic_leads(graph, to, from, cycle))
            return false;
        walk_backward(graph, to, from);
        move(graph);
    }
    array_push(&nodes[from].out, ((struct edge){to, label}));
    array_push(&nodes[to].in, ((struct edge){from, label}));
    return true;
}

/* Nearly always the last one. */
static void drop(struct edges *edges, uint32_t node, uint32_t label)
{
    size_t i = edges->count;
    while (i-- && (edges->items[i].node != node || edges->items[i].label != label))
        ;
    for (; i + 1 < edges->count; i++)
        edges->items[i] = edges->items[i + 1];
    edges->count--;
}

void acyclic_remove(struct acyclic *graph, uint32_t from, uint32_t to, uint32_t label)
{
    drop(&graph->nodes.items[from].out, to, label);
    drop(&graph->nodes.items[to].in, from, label);
}
