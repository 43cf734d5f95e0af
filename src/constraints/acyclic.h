/* SPDX-License-Identifier: MIT */
/* A directed graph that never has a cycle, with edges that come and go.
 *
 * Every node has a place in an order that all edges follow. An edge that agrees with
 * it costs nothing; one that does not moves the nodes between its ends (Pearce and
 * Kelly), or closes a cycle, which is returned instead of adding it. Where edges go, the
 * places stay. */
#ifndef PREPLAY_CONSTRAINTS_ACYCLIC_H
#define PREPLAY_CONSTRAINTS_ACYCLIC_H

#include "base/array.h"

#include <stdbool.h>
#include <stdint.h>

struct acyclic_labels ARRAY_OF(uint32_t);

struct acyclic;

struct acyclic *acyclic_create(void);
void acyclic_destroy(struct acyclic *graph);

/* A node, with its first place; no two nodes have the same. */
uint32_t acyclic_node(struct acyclic *graph, uint32_t place);
/* False if that would close a cycle: then the labels of its other edges are in `cycle`. */
bool acyclic_add(struct acyclic *graph, uint32_t from, uint32_t to, uint32_t label,
                 struct acyclic_labels *cycle);
/* The edge must be there; it is quick if it is among the latest of its ends. */
void acyclic_remove(struct acyclic *graph, uint32_t from, uint32_t to, uint32_t label);
/* Is there a way? If so, the labels of its edges are in `way`. */
bool acyclic_leads(struct acyclic *graph, uint32_t from, uint32_t to, struct acyclic_labels *way);
/* How many nodes were looked at so far. */
uint64_t acyclic_steps(const struct acyclic *graph);

#endif
