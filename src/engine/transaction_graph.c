#include "engine/transaction_graph.h"

#include "base/array.h"
#include "base/map.h"

#include <stdlib.h>

struct node {
    uint32_t number;
    uint32_t out; /* first edge, plus one */
    bool block, open, explained, reached;
    uint32_t component;
};

struct visit {
    uint32_t node, edge, previous; /* previous: visit, plus one */
    uint32_t left_at;              /* index at which the victim was left */
};

struct transaction_graph {
    cycle_report *report;
    void *context;
    struct graph_nodes ARRAY_OF(struct node) nodes;
    struct graph_edges ARRAY_OF(struct graph_edge) edges;
    struct map slots;         /* number -> node */
    struct map pairs;         /* (from, to), as numbers -> edge */
    uint32_t numbers, oldest; /* given out; the least that may be live */
    size_t limit;             /* nodes and edges before the next collection */
    /* Scratch of a collection. */
    struct graph_visits ARRAY_OF(struct visit) visits;
    struct graph_words ARRAY_OF(uint32_t) stack, work, low, best;
    struct graph_steps ARRAY_OF(const struct conflict *) steps;
};

enum { SMALLEST_LIMIT = 64 };

struct transaction_graph *transaction_graph_create(cycle_report *report, void *context)
{
    struct transaction_graph *graph = NEW(struct transaction_graph);
    graph->report = report;
    graph->context = context;
    graph->limit = SMALLEST_LIMIT;
    return graph;
}

static void free_edge(struct graph_edge *edge)
{
    if (edge->last.path != edge->first.path)
        free(edge->last.path);
    free(edge->first.path);
}

void transaction_graph_destroy(struct transaction_graph *graph)
{
    if (!graph)
        return;
    for (size_t i = 0; i < graph->edges.count; i++)
        free_edge(&graph->edges.items[i]);
    array_free(&graph->nodes);
    array_free(&graph->edges);
    array_free(&graph->visits);
    array_free(&graph->stack);
    array_free(&graph->work);
    array_free(&graph->low);
    array_free(&graph->best);
    array_free(&graph->steps);
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
    if (node)
        node->open = false;
}

bool transaction_live(const struct transaction_graph *graph, uint32_t number)
{
    return number >= graph->oldest && map_find(&graph->slots, number) != NULL;
}

/* --- strongly connected components, without recursion (Tarjan) --- */

/* Gives each node its component; `stack` holds nodes of unfinished ones, `work` the
 * path of the depth-first search as pairs (node, next edge). */
static void visit_component(struct transaction_graph *graph, uint32_t root, uint32_t *order)
{
    struct node *nodes = graph->nodes.items;
    uint32_t *low = graph->low.items, *number = graph->best.items;
    array_push(&graph->work, root);
    array_push(&graph->work, nodes[root].out);
    low[root] = number[root] = ++*order;
    array_push(&graph->stack, root);
    while (graph->work.count) {
        uint32_t *edge = &array_last(&graph->work);
        uint32_t node = graph->work.items[graph->work.count - 2];
        if (*edge) {
            uint32_t to = graph->edges.items[*edge - 1].to;
            *edge = graph->edges.items[*edge - 1].next;
            if (!number[to]) {
                low[to] = number[to] = ++*order;
                array_push(&graph->stack, to);
                array_push(&graph->work, to);
                array_push(&graph->work, nodes[to].out);
            } else if (nodes[to].component == UINT32_MAX && number[to] < low[node]) {
                low[node] = number[to];
            }
            continue;
        }
        graph->work.count -= 2;
        if (graph->work.count) {
            uint32_t parent = graph->work.items[graph->work.count - 2];
            low[parent] = low[node] < low[parent] ? low[node] : low[parent];
        }
        if (low[node] != number[node])
            continue;
        uint32_t member;
        do {
            member = array_pop(&graph->stack);
            nodes[member].component = node;
        } while (member != node);
    }
}

static void find_components(struct transaction_graph *graph)
{
    uint32_t count = (uint32_t)graph->nodes.count, order = 0;
    array_grow(&graph->low, count);
    array_grow(&graph->best, count);
    memset(graph->best.items, 0, count * sizeof *graph->best.items);
    for (uint32_t i = 0; i < count; i++)
        graph->nodes.items[i].component = UINT32_MAX;
    for (uint32_t i = 0; i < count; i++)
        if (!graph->best.items[i])
            visit_component(graph, i, &order);
}

/* --- the shortest cycle in which a block is the victim --- */

/* The way by which an edge enters the victim later than it was left, or NULL. */
static const struct conflict *way_back(const struct graph_edge *edge, uint32_t left_at)
{
    if (edge->first.target.index > left_at)
        return &edge->first;
    return edge->last.target.index > left_at ? &edge->last : NULL;
}

static void report_cycle(struct transaction_graph *graph, uint32_t visit,
                         const struct conflict *back)
{
    graph->steps.count = 0;
    array_push(&graph->steps, back);
    for (uint32_t at = visit + 1; at; at = graph->visits.items[at - 1].previous)
        array_push(&graph->steps, &graph->edges.items[graph->visits.items[at - 1].edge].first);
    for (size_t i = 0, k = graph->steps.count - 1; i < k; i++, k--) {
        const struct conflict *step = graph->steps.items[i];
        graph->steps.items[i] = graph->steps.items[k];
        graph->steps.items[k] = step;
    }
    struct cycle cycle = {graph->steps.items, (uint32_t)graph->steps.count};
    graph->report(graph->context, &cycle);
}

/* Follows the edges out of a node; the visit by which the search got there is
 * `previous` - 1. True if one leads back into the victim. */
static bool expand(struct transaction_graph *graph, uint32_t victim, uint32_t node,
                   uint32_t previous, uint32_t left_at)
{
    const struct node *nodes = graph->nodes.items;
    for (uint32_t next = nodes[node].out; next; next = graph->edges.items[next - 1].next) {
        const struct graph_edge *edge = &graph->edges.items[next - 1];
        if (nodes[edge->to].component != nodes[victim].component)
            continue;
        uint32_t left = previous ? left_at : edge->first.source.index;
        if (edge->to == victim) {
            const struct conflict *back = way_back(edge, left);
            if (!back)
                continue;
            report_cycle(graph, previous - 1, back);
            return true;
        }
        /* Again only for a victim left earlier: that may find a way back where the
         * first visit did not. */
        if (graph->best.items[edge->to] <= left)
            continue;
        graph->best.items[edge->to] = left;
        struct visit visit = {edge->to, next - 1, previous, left};
        array_push(&graph->visits, visit);
    }
    return false;
}

/* Breadth first, so the first way back is a shortest one. */
static bool explain(struct transaction_graph *graph, uint32_t victim)
{
    graph->visits.count = 0;
    bool found = expand(graph, victim, victim, 0, 0);
    for (uint32_t i = 0; i < graph->visits.count && !found; i++) {
        struct visit visit = graph->visits.items[i];
        found = expand(graph, victim, visit.node, i + 1, visit.left_at);
    }
    for (size_t i = 0; i < graph->visits.count; i++)
        graph->best.items[graph->visits.items[i].node] = UINT32_MAX;
    return found;
}

/* Every component has a victim; where explaining all of them would take more than
 * linear time, what has been explained has to do. */
static void explain_all(struct transaction_graph *graph)
{
    size_t count = graph->nodes.count, work = 0;
    size_t enough = 64 * (count + graph->edges.count);
    array_grow(&graph->low, count);
    for (size_t i = 0; i < count; i++) {
        graph->best.items[i] = UINT32_MAX;
        graph->low.items[i] = 0; /* by component: members, then 0 once one is explained */
    }
    for (size_t i = 0; i < count; i++)
        graph->low.items[graph->nodes.items[i].component]++;
    for (uint32_t i = 0; i < count; i++) {
        struct node *node = &graph->nodes.items[i];
        uint32_t *members = &graph->low.items[node->component];
        if (!node->block || node->explained || *members == 1)
            continue;
        if (work > enough && *members == 0)
            continue;
        bool found = explain(graph, i);
        work += graph->visits.count;
        node->explained = found || !node->open;
        if (found)
            *members = 0;
    }
}

/* --- forgetting --- */

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

static void link_edge(struct transaction_graph *graph, uint32_t edge)
{
    struct graph_edge *it = &graph->edges.items[edge];
    struct node *from = &graph->nodes.items[it->from];
    it->next = from->out;
    from->out = edge + 1;
    bool added;
    *map_at(&graph->pairs, map_pair(from->number, graph->nodes.items[it->to].number), &added) =
        edge;
}

static void forget_unreached(struct transaction_graph *graph)
{
    mark_reached(graph);
    struct node *nodes = graph->nodes.items;
    uint32_t *moved = graph->low.items, kept = 0;
    map_clear(&graph->slots);
    map_clear(&graph->pairs);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        moved[i] = UINT32_MAX;
        if (!nodes[i].reached)
            continue;
        moved[i] = kept;
        bool added;
        *map_at(&graph->slots, nodes[i].number, &added) = kept;
        nodes[kept] = nodes[i];
        nodes[kept++].out = 0;
    }
    size_t edges = 0; /* those out of reached nodes, which lead to such */
    for (size_t i = 0; i < graph->edges.count; i++) {
        struct graph_edge edge = graph->edges.items[i];
        if (moved[edge.from] == UINT32_MAX) {
            free_edge(&edge);
            continue;
        }
        edge.from = moved[edge.from];
        edge.to = moved[edge.to];
        graph->edges.items[edges++] = edge;
    }
    graph->nodes.count = kept;
    graph->oldest = kept ? nodes[0].number : graph->numbers + 1; /* nodes are in that order */
    graph->edges.count = edges;
    for (size_t i = 0; i < edges; i++)
        link_edge(graph, (uint32_t)i);
}

static void collect(struct transaction_graph *graph)
{
    if (!graph->nodes.count)
        return;
    find_components(graph);
    explain_all(graph);
    forget_unreached(graph);
    size_t size = graph->nodes.count + graph->edges.count;
    graph->limit = size * 2 < SMALLEST_LIMIT ? SMALLEST_LIMIT : size * 2;
}

uint32_t transaction_add(struct transaction_graph *graph, bool block)
{
    if (graph->nodes.count + graph->edges.count >= graph->limit)
        collect(graph);
    struct node node = {.number = ++graph->numbers, .block = block, .open = block};
    bool added;
    *map_at(&graph->slots, node.number, &added) = graph->nodes.count;
    array_push(&graph->nodes, node);
    return node.number;
}

static void again(struct graph_edge *edge, const struct conflict *conflict,
                  const struct blocks *blocks)
{
    uint32_t thread = conflict->target.thread;
    struct block_path *path = edge->last.path;
    if (!blocks_path_is(blocks, thread, path)) {
        if (path != edge->first.path)
            free(path);
        path = blocks_path(blocks, thread);
    }
    edge->last = *conflict;
    edge->last.path = path;
}

void transaction_conflict(struct transaction_graph *graph, uint32_t from, uint32_t to,
                          const struct conflict *conflict, const struct blocks *blocks)
{
    const uint64_t *known = map_find(&graph->pairs, map_pair(from, to));
    if (known) {
        again(&graph->edges.items[*known], conflict, blocks);
        return;
    }
    const uint64_t *source = map_find(&graph->slots, from), *target = map_find(&graph->slots, to);
    if (!source || !target)
        return;
    struct graph_edge edge = {.from = (uint32_t)*source, .to = (uint32_t)*target};
    edge.first = *conflict;
    edge.first.path = blocks_path(blocks, conflict->target.thread);
    edge.last = edge.first;
    array_push(&graph->edges, edge);
    link_edge(graph, (uint32_t)graph->edges.count - 1);
}

void transaction_graph_finish(struct transaction_graph *graph)
{
    collect(graph);
}
