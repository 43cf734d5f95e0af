/* SPDX-License-Identifier: MIT */
/* The whole trace in memory, for engines that need it always, or only once they know that
 * there is something to look for. For the latter a long trace is not kept but read a second
 * time, if it can be: most traces have nothing to look for, and 40 bytes an event are more
 * than reading one costs. */
#ifndef PREPLAY_ENGINE_WHOLE_H
#define PREPLAY_ENGINE_WHOLE_H

#include "base/array.h"
#include "trace/history.h"

/* Up to so many events are kept in any case. */
#define WHOLE_SMALL ((size_t)1 << 16)

struct whole {
    struct trace *trace;
    bool wanted, certainly; /* perhaps by somebody; by somebody in any case */
    bool dropped;           /* what was read is not all in `events` */
    struct whole_events ARRAY_OF(struct event) events;
    struct history *history; /* once it was asked for */
    struct trace *again;     /* the trace of `history`, if that is another one */
};

/* A batch was read. */
void whole_feed(struct whole *whole, const struct event *events, size_t count);
/* The trace has ended: is it all here? Then whole->history is set. */
void whole_end(struct whole *whole);
/* The history, read again if need be; NULL with an error. */
const struct history *whole_history(struct whole *whole, struct error *error);
/* Says so, for who reads it again; returns -1. */
int whole_has_changed(const struct trace *trace, struct error *error);
void whole_free(struct whole *whole);

#endif
