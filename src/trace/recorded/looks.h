/* SPDX-License-Identifier: MIT */
/* Which atomic loads of a recording are looks: loads that ended no spin loop, so that in another
 * schedule their thread would have gone on, too, whatever they saw (event.h, OPS_BOUND).
 *
 * A load is bound to what it saw where
 *   - it repeats the thread's last event, a load of the same address (RECORD_REPEAT),
 *   - the thread has seen something else at the same place before: a loop around more than the
 * load,
 *   - the code loops back to it with nothing done (symbols/wait_code.h), or cannot be read,
 *   - it is no load but a compare-and-exchange that failed, or an order that a library told; but
 * for a loose one (RECORD_EDGE_LOOSE), which is always a look. Memory is bounded: what is forgotten
 * counts as not seen before. */
#ifndef PREPLAY_TRACE_RECORDED_LOOKS_H
#define PREPLAY_TRACE_RECORDED_LOOKS_H

#include "trace/recorded/binary_stream.h"

struct looks;

/* `looks`: wait_code_looks of a place. */
typedef bool looks_by_code(void *context, uint32_t location, uint32_t stack);

struct looks *looks_create(looks_by_code *by_code, void *context);
void looks_destroy(struct looks *looks);

/* The operation that an atomic record is delivered as; called for each, in the observed order. */
uint8_t looks_op(struct looks *looks, const struct binary_unit *unit, uint32_t thread);

#endif
