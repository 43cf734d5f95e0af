/* The graph of transactions: an edge for every conflict, from the earlier
 * transaction to the later. The observed order is serialisable if and only if the
 * graph has no cycle (Velodrome: Flanagan, Freund, Yi 2008).
 *
 * Looking for a cycle at every edge is what makes such checkers slow. Here edges are
 * only collected; whenever the graph has doubled, one pass over it finds all
 * strongly connected components, explains each, and forgets every node that
 * cannot be reached from an open one: a closed transaction gets no more edges in, so
 * only what an open one reaches can lie on a cycle yet to come. That makes the work
 * linear in the number of edges, and the memory that of the live part, twice. */
#ifndef PREPLAY_ENGINE_TRANSACTION_GRAPH_H
#define PREPLAY_ENGINE_TRANSACTION_GRAPH_H

#include "engine/access_history.h"
#include "engine/blocks.h"

/* Two events of different transactions whose order matters. */
struct conflict {
    struct access source, target;
    enum object_class object_class; /* CLASS_NONE: program order */
    uint32_t object;
    struct block_path *path; /* blocks around the target */
};

/* Between two transactions, what first orders them and what last does. */
struct graph_edge {
    uint32_t from, to;
    uint32_t next; /* edge out of the same node, plus one */
    struct conflict first, last;
};

/* A shortest cycle through a transaction, the victim: it leaves the victim at
 * steps[0]->source and is back, later in the victim's order, at the target
 * of the last step. */
struct cycle {
    const struct conflict **steps;
    uint32_t count;
};

struct transaction_graph;

/* `report` is called once a victim. */
typedef void cycle_report(void *context, const struct cycle *cycle);
struct transaction_graph *transaction_graph_create(cycle_report *report, void *context);
void transaction_graph_destroy(struct transaction_graph *graph);

/* Nodes are named by numbers that count up from 1. `block`: an atomic block, open
 * until transaction_close(); all others are closed from the start. */
uint32_t transaction_add(struct transaction_graph *graph, bool block);
void transaction_close(struct transaction_graph *graph, uint32_t node);
/* False if no cycle can go through the node any more. */
bool transaction_live(const struct transaction_graph *graph, uint32_t node);

/* Does nothing if `from` is not live. `blocks` are those the target is in. */
void transaction_conflict(struct transaction_graph *graph, uint32_t from, uint32_t to,
                          const struct conflict *conflict, const struct blocks *blocks);

/* Explains what has not been explained yet. */
void transaction_graph_finish(struct transaction_graph *graph);

#endif
