/* SPDX-License-Identifier: MIT */
/* Where the memory of shared objects came from: which call allocated the heap block,
 * or whose stack it is. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_ORIGINS_H
#define PREPLAY_TRACE_RECORDED_BINARY_ORIGINS_H

#include "trace/recorded/binary_merge.h"
#include "trace/recorded/binary_objects.h"
#include "trace/trace.h"

struct binary_origins;

struct binary_origins *binary_origins_create(void);
void binary_origins_destroy(struct binary_origins *origins);

/* Second pass, after objects_begin(): a block was allocated. */
void binary_origins_alloc(struct binary_origins *origins, const struct objects *objects,
                          const struct binary_unit *unit, uint32_t thread);
bool binary_origins_find(const struct binary_origins *origins, const struct objects *objects,
                         const struct binary_threads *threads, uint32_t object,
                         struct trace_origin *origin);

#endif
