/* SPDX-License-Identifier: MIT */
/* The graph of transactions: an edge for every conflict, from the earlier
 * transaction to the later. The observed order is serialisable if and only if the
 * graph has no cycle (Velodrome: Flanagan, Freund, Yi 2008).
 *
 * Looking for a cycle at every edge is what makes such checkers slow. Here edges are
 * only collected; whenever the graph has doubled, one pass over it finds all
 * strongly connected components and forgets every node that cannot be reached from an
 * open one: a closed transaction gets no more edges in, so only what an open one
 * reaches can lie on a cycle yet to come. What is forgotten is explained first: not
 * before, since a shorter cycle might still close. That makes the work linear in the
 * number of edges, and the memory that of the live part, twice.
 *
 * For finding components, edges that others imply can be left out; the shortest
 * cycle is then looked for among all operations of a component (shortest_cycle.h). */
#ifndef PREPLAY_ATOMICITY_TRANSACTION_GRAPH_H
#define PREPLAY_ATOMICITY_TRANSACTION_GRAPH_H

#include "atomicity/shortest_cycle.h"

struct transaction_graph;

/* `report` is called once a victim. */
struct transaction_graph *transaction_graph_create(cycle_report *report, void *context);
void transaction_graph_destroy(struct transaction_graph *graph);

/* Nodes are named by numbers that count up from 1. `block`: an atomic block, open
 * until transaction_close(); all others are closed from the start. */
uint32_t transaction_add(struct transaction_graph *graph, bool block);
void transaction_close(struct transaction_graph *graph, uint32_t node);
/* False if no cycle can go through the node any more. */
bool transaction_live(const struct transaction_graph *graph, uint32_t node);

/* Does nothing if `from` is not live. */
void transaction_conflict(struct transaction_graph *graph, uint32_t from, uint32_t to);

/* The operation touch->first, of the node touch->node; touch->last is ignored. `previous` is what
 * this returned for the last operation of the same thread and kind on the object, if nothing that
 * conflicts came in between by another thread; else 0. */
uint32_t transaction_touch(struct transaction_graph *graph, const struct touch *touch,
                           uint32_t previous);

/* A block begins or ends inside of an atomic one, at `index` in its thread. */
#define LABEL_END        UINT32_MAX
#define LABEL_NOT_ATOMIC (UINT32_MAX - 1)
void transaction_block(struct transaction_graph *graph, uint32_t node, uint32_t index,
                       uint32_t label);

/* Explains what has not been explained yet. */
void transaction_graph_finish(struct transaction_graph *graph);

#endif
