/* SPDX-License-Identifier: MIT */
/* Which locks are held where a window of the trace begins: what `cp`, `wcp` and `mb` need to
 * look at a window by itself. The window is then as a trace that starts with these
 * acquires. */
#ifndef PREPLAY_RELATIONS_OPEN_SECTIONS_H
#define PREPLAY_RELATIONS_OPEN_SECTIONS_H

#include "base/array.h"
#include "trace/event.h"

/* A zeroed one is that of the start of a trace. */
struct open_sections ARRAY_OF(struct event); /* acquires, in observed order */

void open_sections_step(struct open_sections *open, const struct event *event);

#endif
