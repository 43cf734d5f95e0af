/* SPDX-License-Identifier: MIT */
/* Turns a trace into one readable C file of pthreads (Sadowski, Sections
 * 24.4 and 24.5). With PROGRAM_TURNS the program performs exactly the trace's
 * order at every run: one counter says which step's turn it is, which, unlike two
 * barriers in lock-step, does not mind threads that come and go and wakes only
 * the thread that is next. The machinery cannot be seen by race detectors. The
 * other orders give the loose programs of Sadowski's section 24.4.
 *
 * Where pthreads leave no choice, the performed order is an equivalent one: the
 * threads leave a barrier as soon as it opens, and a thread starts as soon as it
 * was forked. Reads that give a value are asserted; variables begin with the
 * value that is first read from them, or 0; a write that gives no value writes
 * what is read from it, or a number of its own. */
#ifndef PREPLAY_TIDDLE_PROGRAM_H
#define PREPLAY_TIDDLE_PROGRAM_H

#include "trace/history.h"

#include <stdio.h>

enum program_order { PROGRAM_TURNS, PROGRAM_NONE, PROGRAM_SLEEP, PROGRAM_YIELD };

struct program_options {
    enum program_order order;
    const char *name; /* of the trace, for the heading */
    bool lines;       /* #line: debuggers and reports show the trace's locations */
    /* Orders to perform one after another, as pos values of the history; NULL:
     * the history's own order, once. Returns NULL after the last. */
    const uint32_t *(*next_order)(void *source);
    void *source;
};

/* `trace` is the history's own, and may get a main thread. -1 with an error if no
 * program can do what the trace says. */
int tiddle_write_program(FILE *out, struct trace *trace, const struct history *history,
                         const struct program_options *options, struct error *error);

#endif
