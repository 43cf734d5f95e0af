/* SPDX-License-Identifier: MIT */
/* Strongly connected components (Tarjan), without recursion: graphs can be deep. */
#ifndef PREPLAY_BASE_COMPONENTS_H
#define PREPLAY_BASE_COMPONENTS_H

#include <stdbool.h>
#include <stdint.h>

/* Steps through the edges out of a node: stores where the next one leads in *to, false
 * after the last. *cursor is 0 at first, and otherwise the callback's own. */
typedef bool component_edge(const void *graph, uint32_t node, uint32_t *cursor, uint32_t *to);

/* By node: its component's number, counted from 0. The caller frees it. */
uint32_t *components_find(uint32_t nodes, component_edge *edge, const void *graph);

#endif
