/* SPDX-License-Identifier: MIT */
/* Embracer's analysis state (Sadowski, chapters 15 and 16): the must-before
 * relation of Definition 8 as adjustable vector clocks, online.
 *
 * Must-before is the least transitive relation that contains program order, the
 * order of clashing accesses, and the hard edges (hard_edges.h), and with "acquire
 * of section k before release of section h" of one mutex also "release of k before
 * acquire of h". The last rule adds edges into the past: extra_edges.h.
 *
 * The figure's names: C is the clock of a thread, W and R the clocks of a variable's
 * last write and of its reads, A the clock of an open acquire, H the history of a
 * mutex's sections, E the extra edges. (B, the bad set, is the caller's, who knows
 * what he suspects.) C is always adjusted, the others when they are used.
 *
 * Two things are made exact that Figure 15.1 leaves open: an acquire is before
 * something only if the clock has seen more than its tick, since the thread's last
 * access before it may have the same; and an edge that is found late may complete
 * the premise of the rule for sections that ended before: these are asked again. */
#ifndef PREPLAY_RELATIONS_EMBRACER_H
#define PREPLAY_RELATIONS_EMBRACER_H

#include "relations/extra_edges.h"
#include "trace/event.h"

struct embracer_section {
    uint32_t thread, lock;
    uint32_t tick;            /* of the acquire */
    uint32_t ended_before;    /* sections that had ended when it began */
    struct vclock at_release; /* once it has ended */
};

struct embracer;

struct embracer *embracer_create(void);
void embracer_destroy(struct embracer *embracer);

/* Moves the thread to its next event. */
void embracer_enter(struct embracer *embracer, const struct event *event);
/* While at an event, or after it: C. An access is before whoever has seen its tick,
 * which is the thread's own entry right after it. */
const struct vclock *embracer_clock(struct embracer *embracer, uint32_t thread);
/* Completes the event. */
void embracer_leave(struct embracer *embracer, const struct event *event);

/* Brings W and R of a variable to come into the cache. */
void embracer_prefetch(const struct embracer *embracer, uint32_t variable);

/* No section is open: what is not ordered now will not be. */
bool embracer_is_closed(const struct embracer *embracer);
/* As if all that hold a mutex released it now: at the end of a trace. */
void embracer_finish(struct embracer *embracer);
/* Adjusts a copy of C made earlier. */
void embracer_adjust(struct embracer *embracer, struct vclock *clock);

/* W, R, E; A (NULL: not held); H of one mutex and thread, oldest first. */
const struct vclock *embracer_written(struct embracer *embracer, uint32_t variable);
const struct vclock *embracer_read(struct embracer *embracer, uint32_t variable);
const struct extra_edges *embracer_extra(const struct embracer *embracer);
const struct vclock *embracer_acquired(const struct embracer *embracer, uint32_t lock);
size_t embracer_history(const struct embracer *embracer, uint32_t lock, uint32_t thread,
                        struct embracer_section *const **sections);

#endif
