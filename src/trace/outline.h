/* SPDX-License-Identifier: MIT */
/* A trace without its accesses: who held, signalled and waited for what. Accesses are most of a
 * trace and say nothing about that: without them a long one takes little memory. */
#ifndef PREPLAY_TRACE_OUTLINE_H
#define PREPLAY_TRACE_OUTLINE_H

#include "base/array.h"
#include "trace/history.h"

struct outline {
    struct history *history; /* with positions of its own */
    /* By thread: how many events it has in the trace. */
    struct outline_lengths ARRAY_OF(uint32_t) lengths;
};

/* Reads the rest of `trace`, which must outlive it. 0 or -1; outline_free() in either case. */
int outline_read(struct outline *outline, struct trace *trace, struct error *error);
void outline_free(struct outline *outline);

#endif
