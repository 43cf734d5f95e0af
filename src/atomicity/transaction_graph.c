/* SPDX-License-Identifier: MIT */
#include "atomicity/transaction_graph.h"

#include "base/sorted.h"
#include "base/array.h"
#include "base/map.h"
#include "base/components.h"

#include <stdlib.h>

struct node {
    uint32_t number;
    uint32_t out; /* first edge, plus one */
    bool open, reached;
    uint32_t component;
};

struct edge {
    uint32_t from, to;
    uint32_t next; /* edge out of the same node, plus one */
};

struct mark {
    uint32_t node, index, label;
};

struct transaction_graph {
    cycle_report *report;
    void *context;
    struct graph_nodes ARRAY_OF(struct node) nodes;
    struct graph_edges ARRAY_OF(struct edge) edges;
    struct graph_touches ARRAY_OF(struct touch) touches;
    struct graph_marks ARRAY_OF(struct mark) marks;
    uint32_t touches_before;  /* number of the first touch, less one */
    size_t settled;           /* touches that are not added to any more: they were moved */
    struct map slots;         /* number -> node */
    struct map pairs;         /* (from, to), as numbers */
    uint32_t numbers, oldest; /* given out; the least that may be live */
    uint32_t collected;       /* numbers above it are all live */
    uint32_t open;            /* blocks */
    size_t limit;             /* size before the next collection */
    /* Scratch of a collection. */
    struct graph_words ARRAY_OF(uint32_t) stack, work, of_node, labels;
    struct graph_marks explained; /* marks of what is being explained, by node */
    struct cycle_finder *finder;
};

enum { SMALLEST_LIMIT = 64 };

struct transaction_graph *transaction_graph_create(cycle_report *report, void *context)
{
    struct transaction_graph *graph = NEW(struct transaction_graph);
    graph->report = report;
    graph->context = context;
    graph->limit = SMALLEST_LIMIT;
    graph->finder = cycle_finder_create();
    return graph;
}

void transaction_graph_destroy(struct transaction_graph *graph)
{
    if (!graph)
        return;
    array_free(&graph->nodes);
    array_free(&graph->edges);
    array_free(&graph->touches);
    array_free(&graph->marks);
    array_free(&graph->stack);
    array_free(&graph->work);
    array_free(&graph->of_node);
    array_free(&graph->labels);
    array_free(&graph->explained);
    cycle_finder_destroy(graph->finder);
    map_free(&graph->slots);
    map_free(&graph->pairs);
    free(graph);
}

static struct node *node_of(const struct transaction_graph *graph, uint32_t number)
{
    const uint64_t *slot = map_find(&graph->slots, number);
    return slot ? &graph->nodes.items[*slot] : NULL;
}

void transaction_close(struct transaction_graph *graph, uint32_t number)
{
    struct node *node = node_of(graph, number);
    if (!node || !node->open)
        return;
    node->open = false;
    graph->open--;
}

bool transaction_live(const struct transaction_graph *graph, uint32_t number)
{
    return number > graph->collected ||
           (number >= graph->oldest && map_find(&graph->slots, number) != NULL);
}

static bool next_edge(const void *context, uint32_t node, uint32_t *cursor, uint32_t *to)
{
    const struct transaction_graph *graph = context;
    uint32_t edge = *cursor ? graph->edges.items[*cursor - 1].next : graph->nodes.items[node].out;
    if (!edge)
        return false; /* never asked again */
    *cursor = edge;
    *to = graph->edges.items[edge - 1].to;
    return true;
}

static void find_components(struct transaction_graph *graph)
{
    uint32_t count = (uint32_t)graph->nodes.count;
    uint32_t *components = components_find(count, next_edge, graph);
    for (uint32_t i = 0; i < count; i++)
        graph->nodes.items[i].component = components[i];
    free(components);
    array_grow(&graph->of_node, count);
}

/* --- what an open transaction reaches --- */

static void mark_reached(struct transaction_graph *graph)
{
    struct node *nodes = graph->nodes.items;
    graph->work.count = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        nodes[i].reached = nodes[i].open;
        if (nodes[i].open)
            array_push(&graph->work, i);
    }
    while (graph->work.count) {
        uint32_t node = array_pop(&graph->work);
        for (uint32_t next = nodes[node].out; next; next = graph->edges.items[next - 1].next) {
            uint32_t to = graph->edges.items[next - 1].to;
            if (nodes[to].reached)
                continue;
            nodes[to].reached = true;
            array_push(&graph->work, to);
        }
    }
}

/* --- explaining what is about to be forgotten --- */

static int compare_marks(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;
    if (x->node != y->node)
        return x->node < y->node ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* The atomic blocks of the victim that contain both places, outermost first. */
static void find_labels(struct transaction_graph *graph, uint32_t victim, uint32_t begin,
                        uint32_t end)
{
    struct graph_marks *marks = &graph->explained;
    size_t low = SORTED_POINT(middle, 0, marks->count, marks->items[middle].node < victim);
    graph->labels.count = graph->stack.count = 0;
    for (; low < marks->count && marks->items[low].node == victim; low++) {
        if (marks->items[low].index > end)
            break;
        if (marks->items[low].label != LABEL_END)
            array_push(&graph->stack, (uint32_t)low);
        else if (graph->stack.count)
            graph->stack.count--;
    }
    for (size_t i = 0; i < graph->stack.count; i++) {
        const struct mark *mark = &marks->items[graph->stack.items[i]];
        if (mark->index <= begin && mark->label != LABEL_NOT_ATOMIC)
            array_push(&graph->labels, mark->label);
    }
}

static void on_cycle(void *context, struct cycle *cycle)
{
    struct transaction_graph *graph = context;
    const struct cycle_step *steps = cycle->steps;
    find_labels(graph, cycle->victim, steps[0].source.index, steps[cycle->count - 1].target.index);
    cycle->labels = graph->labels.items;
    cycle->label_count = (uint32_t)graph->labels.count;
    graph->report(graph->context, cycle);
}

/* The node's component, if it has other members and no open transaction reaches it; else
 * UINT32_MAX. `of_node` holds the number of members of each component. */
static uint32_t component_to_explain(const struct transaction_graph *graph, uint32_t number)
{
    const struct node *node = node_of(graph, number);
    return node && !node->reached && graph->of_node.items[node->component] > 1 ? node->component
                                                                               : UINT32_MAX;
}

static void explain(struct transaction_graph *graph)
{
    size_t count = graph->nodes.count;
    memset(graph->of_node.items, 0, count * sizeof *graph->of_node.items);
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const struct node *node = &graph->nodes.items[i];
        any |= ++graph->of_node.items[node->component] > 1 && !node->reached;
    }
    if (!any)
        return;
    for (size_t i = 0; i < graph->touches.count; i++) {
        uint32_t component = component_to_explain(graph, graph->touches.items[i].node);
        if (component != UINT32_MAX)
            cycle_finder_add(graph->finder, &graph->touches.items[i], component);
    }
    graph->explained.count = 0;
    for (size_t i = 0; i < graph->marks.count; i++)
        if (component_to_explain(graph, graph->marks.items[i].node) != UINT32_MAX)
            array_push(&graph->explained, graph->marks.items[i]);
    if (graph->explained.count)
        qsort(graph->explained.items, graph->explained.count, sizeof *graph->explained.items,
              compare_marks);
    cycle_finder_run(graph->finder, on_cycle, graph);
}

/* --- forgetting --- */

static void link_edge(struct transaction_graph *graph, uint32_t edge)
{
    struct edge *it = &graph->edges.items[edge];
    struct node *from = &graph->nodes.items[it->from];
    it->next = from->out;
    from->out = edge + 1;
    map_at(&graph->pairs, map_pair(from->number, graph->nodes.items[it->to].number), NULL);
}

static void forget_nodes(struct transaction_graph *graph)
{
    struct node *nodes = graph->nodes.items;
    uint32_t *moved = graph->of_node.items, kept = 0;
    map_clear(&graph->slots);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        moved[i] = UINT32_MAX;
        if (!nodes[i].reached)
            continue;
        moved[i] = kept;
        *map_at(&graph->slots, nodes[i].number, NULL) = kept;
        nodes[kept] = nodes[i];
        nodes[kept++].out = 0;
    }
    graph->nodes.count = kept;
    graph->oldest = kept ? nodes[0].number : graph->numbers + 1; /* nodes are in that order */
}

/* Keeps edges out of nodes that stay, which lead to such. */
static void forget_edges(struct transaction_graph *graph)
{
    const uint32_t *moved = graph->of_node.items;
    size_t edges = 0;
    map_clear(&graph->pairs);
    for (size_t i = 0; i < graph->edges.count; i++) {
        struct edge edge = graph->edges.items[i];
        if (moved[edge.from] == UINT32_MAX)
            continue;
        edge.from = moved[edge.from];
        edge.to = moved[edge.to];
        graph->edges.items[edges++] = edge;
    }
    graph->edges.count = edges;
    for (size_t i = 0; i < edges; i++)
        link_edge(graph, (uint32_t)i);
}

static void forget_operations(struct transaction_graph *graph)
{
    size_t touches = 0, marks = 0;
    graph->touches_before += (uint32_t)graph->touches.count;
    for (size_t i = 0; i < graph->touches.count; i++)
        if (transaction_live(graph, graph->touches.items[i].node))
            graph->touches.items[touches++] = graph->touches.items[i];
    for (size_t i = 0; i < graph->marks.count; i++)
        if (transaction_live(graph, graph->marks.items[i].node))
            graph->marks.items[marks++] = graph->marks.items[i];
    graph->touches.count = touches;
    graph->marks.count = marks;
    graph->touches_before -= (uint32_t)touches; /* none of these is added to any more */
    graph->settled = touches;
}

static size_t size_of(const struct transaction_graph *graph)
{
    return graph->nodes.count + graph->edges.count + graph->touches.count + graph->marks.count;
}

static void collect(struct transaction_graph *graph)
{
    if (!graph->nodes.count)
        return;
    find_components(graph);
    mark_reached(graph);
    explain(graph);
    forget_nodes(graph);
    forget_edges(graph);
    forget_operations(graph);
    graph->collected = graph->numbers;
    size_t size = size_of(graph);
    graph->limit = size * 2 < SMALLEST_LIMIT ? SMALLEST_LIMIT : size * 2;
}

uint32_t transaction_add(struct transaction_graph *graph, bool block)
{
    if (size_of(graph) >= graph->limit)
        collect(graph);
    struct node node = {.number = ++graph->numbers, .open = block};
    *map_at(&graph->slots, node.number, NULL) = graph->nodes.count;
    array_push(&graph->nodes, node);
    graph->open += block;
    return node.number;
}

void transaction_conflict(struct transaction_graph *graph, uint32_t from, uint32_t to)
{
    if (map_find(&graph->pairs, map_pair(from, to)))
        return;
    const uint64_t *source = map_find(&graph->slots, from), *target = map_find(&graph->slots, to);
    if (!source || !target)
        return;
    struct edge edge = {.from = (uint32_t)*source, .to = (uint32_t)*target};
    array_push(&graph->edges, edge);
    link_edge(graph, (uint32_t)graph->edges.count - 1);
}

uint32_t transaction_touch(struct transaction_graph *graph, const struct touch *touch,
                           uint32_t previous)
{
    if (!graph->open)
        return 0; /* nothing that is done now can lie on a cycle */
    if (previous > graph->touches_before + graph->settled) {
        struct touch *last = &graph->touches.items[previous - graph->touches_before - 1];
        if (last->node == touch->node && last->block == touch->block) {
            last->last = touch->first;
            return previous;
        }
    }
    if (size_of(graph) >= graph->limit)
        collect(graph);
    if (!transaction_live(graph, touch->node))
        return 0;
    array_push(&graph->touches, *touch);
    array_last(&graph->touches).last = touch->first;
    return graph->touches_before + (uint32_t)graph->touches.count;
}

void transaction_block(struct transaction_graph *graph, uint32_t node, uint32_t index,
                       uint32_t label)
{
    struct mark mark = {node, index, label};
    array_push(&graph->marks, mark);
}

void transaction_graph_finish(struct transaction_graph *graph)
{
    for (size_t i = 0; i < graph->nodes.count; i++)
        graph->nodes.items[i].open = false;
    graph->open = 0;
    collect(graph);
}
