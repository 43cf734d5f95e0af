/* SPDX-License-Identifier: MIT */
/* The words of .std lines: `[try]op[.order][!](operand[,operand])[=value]`.
 *
 *   try     a try or timed form                        (EVENT_TRY)
 *   .order  relaxed consume acquire release acqrel     (atomics; none: seq_cst)
 *   !       it failed; for `woken`, without a signal   (EVENT_FAILED)
 *   =value  what was read or written, decimal or 0x... (EVENT_HAS_VALUE)
 *
 * The plain format of the field uses none of these. */
#ifndef PREPLAY_TRACE_STD_OPS_H
#define PREPLAY_TRACE_STD_OPS_H

#include "trace/event.h"

#include <stddef.h>

bool std_op_parse_any(const char *word, size_t length, struct event *event);

/* Sets op, flags and order of `event`; false if there is no such word. */
static inline bool std_op_parse(const char *word, size_t length, struct event *event)
{
    if (length != 1 || (*word != 'r' && *word != 'w'))
        return std_op_parse_any(word, length, event);
    event->op = *word == 'r' ? EVENT_READ : EVENT_WRITE;
    event->flags = 0;
    event->order = ORDER_SEQ_CST;
    return true;
}

/* The suffix of a memory order: "", ".relaxed", ... */
const char *std_order_text(enum memory_order_name order);

#endif
