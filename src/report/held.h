/* SPDX-License-Identifier: MIT */
/* Which locks a thread held at an event of the observed order, and since when. One
 * walk over the trace answers for all events that the report asks about. */
#ifndef PREPLAY_REPORT_HELD_H
#define PREPLAY_REPORT_HELD_H

#include "trace/finding.h"
#include "trace/history.h"

struct held_lock {
    uint32_t lock;
    uint32_t since; /* pos of the acquire */
};

struct held;

/* For the events of the given findings. */
struct held *held_create(const struct history *history, const struct finding *const *findings,
                         size_t count);
void held_destroy(struct held *held);

/* The locks held just before `pos`, in the order of their acquisition. */
size_t held_at(const struct held *held, uint32_t pos, const struct held_lock **locks);

#endif
