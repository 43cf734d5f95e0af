/* SPDX-License-Identifier: MIT */
/* A trace says what matters; a program needs a main thread, and every thread
 * forked and joined. This adds what is missing (Sadowski, Section 24.2):
 *
 *   main   the one thread that nobody forks or joins, or else the one of these
 *          called 0 or main, or else a new thread
 *   forks  by the main thread, before everything else
 *   joins  by the main thread, after everything else; a thread that ends in the
 *          middle of a wait, a barrier or a once-block is never joined
 *
 * None of this orders two written events that were not ordered before. */
#ifndef PREPLAY_TIDDLE_COMPLETE_H
#define PREPLAY_TIDDLE_COMPLETE_H

#include "trace/history.h"

struct completion {
    struct history *history; /* with the added events */
    uint32_t main;           /* the main thread */
    uint32_t forks;          /* events added before the first written one */
    uint32_t joins;          /* events added after the last one */
};

/* `trace` is the history's own, which may get a new thread and a location. */
void tiddle_complete(struct trace *trace, const struct history *history,
                     struct completion *completion);
void completion_free(struct completion *completion);

#endif
