/* SPDX-License-Identifier: MIT */
/* Vulnerable windows of atomic blocks: two operations of one transaction on one
 * object, the second being the window's end. See strikes.h for which pairs count. */
#ifndef PREPLAY_ATOMICITY_WINDOWS_H
#define PREPLAY_ATOMICITY_WINDOWS_H

#include "base/array.h"
#include "atomicity/blocks.h"

/* Blocks that nobody annotated are told by what they do (carried.h). */
enum window_kind { WINDOW_MARKED, WINDOW_CARRIED, WINDOW_CHECKED };

struct window {
    uint32_t object; /* windows_object() of both */
    uint32_t begin, end;
    uint32_t label; /* of the innermost block that contains both */
    enum window_kind kind;
};

struct windows ARRAY_OF(struct window);

/* Reads the history twice: the first time to learn which functions wait. */
void windows_find(struct windows *windows, const struct history *history, struct blocks *blocks);

/* An acquire, or a wait at a semaphore that had a count to hand out at the start and so
 * serves as a lock. */
bool windows_guards(const struct trace *trace, const struct event *event);

/* The object an event opens or closes windows on: variables are numbered first, then
 * locks, then semaphores; UINT32_MAX for none. */
uint32_t windows_object(const struct history *history, const struct event *event);
uint32_t windows_objects(const struct history *history);

#endif
