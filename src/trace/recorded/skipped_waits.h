/* SPDX-License-Identifier: MIT */
/* Waits that did not happen. A thread that finds its predicate true passes its wait-loop
 * without waiting: the order that the signal was there to make is there, but no event says
 * so. Carril and Tichy instrument wait-loops to see it (Carril & Tichy, interleavings, section 3:
 * each use of a condition is an instance, signal before wait). From a trace, the evidence is that a
 * critical section reads what a signalling critical section of the condition's mutex wrote.
 *
 *   signalling section   of a mutex: its thread signals (broadcasts) the condition inside it, or
 *                        as the next thing after it
 *   skipped wait         a read, in a section of the same mutex in another thread, of bytes that
 *                        a signalling section wrote last, unless that section began with a
 *                        return from a wait for the same condition
 *
 * Not every such read is the check of a wait-loop: a thread may just look at a counter that others
 * wait for, and is ordered by nothing then. A read counts if
 *   - its source line was seen to read before a wait for the condition, with the same mutex, or
 *   - by the program's machine code (symbols/wait_code.h) it decides whether to call a wait, and
 * that call was not seen to wait for other conditions alone. Where the code cannot be read, all
 * reads count of a condition that nobody was seen to wait for, but for those of threads that signal
 * it themselves.
 *
 * What it adds: a latch, as a once-block that the signalling section runs right before it
 * releases the mutex and that the skipped wait passes right after its read (EVENT_IMPLIED: no
 * program performed them). Under `sync` that is the paper's order of the instance. To whoever
 * keeps reads-from (hb, cp, wcp, rf) it says nothing new: the read sees the section's write, and
 * the mutex keeps the two sections apart, so the end of the one is before the read of the other
 * anyway. `value` and `branch` lose the reorderings in which the predicate holds because of
 * another write. Nothing becomes possible that was not. */
#ifndef PREPLAY_TRACE_RECORDED_SKIPPED_WAITS_H
#define PREPLAY_TRACE_RECORDED_SKIPPED_WAITS_H

#include "symbols/wait_code.h"
#include "trace/recorded/binary_stream.h"

struct skipped_waits;

/* What has to be known of the program. */
struct skipped_program {
    void *context;
    /* A number for the source line of a location, the same for all of a line. */
    uint64_t (*line_of)(void *context, uint32_t location);
    uint64_t (*pc_of)(void *context, uint32_t location);
    /* wait_code_checks of a place. */
    enum wait_answer (*checks_wait)(void *context, uint32_t location, uint32_t stack,
                                    uint64_t *site);
};

struct skipped_waits *skipped_waits_create(const struct skipped_program *program);
void skipped_waits_destroy(struct skipped_waits *waits);

/* First pass, every record: which conditions are waited for and signalled. */
void skipped_waits_learn(struct skipped_waits *waits, const struct binary_unit *unit);
/* Is there anything to match? If so, another pass gives all units to ... */
bool skipped_waits_wanted(struct skipped_waits *waits);
void skipped_waits_match(struct skipped_waits *waits, uint32_t thread,
                         const struct binary_unit *unit);
/* ... and then: */
void skipped_waits_settle(struct skipped_waits *waits);

/* Back to the beginning of the last pass. */
void skipped_waits_rewind(struct skipped_waits *waits);

/* A place where an event is implied. */
struct skipped_mark {
    uint32_t thread, unit; /* the thread's n-th unit, from 0 */
    uint32_t access;       /* 0: the latch opens before the unit; n: passed after its n-th access */
    uint32_t latch;        /* dense */
    uint32_t number;       /* of the latch, among its condition's */
    uint64_t condition;
};

/* Last pass: the marks of the thread's next unit, by access; their number. */
size_t skipped_waits_next(struct skipped_waits *waits, uint32_t thread,
                          const struct skipped_mark **marks);

#endif
