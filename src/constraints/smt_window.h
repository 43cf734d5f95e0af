/* SPDX-License-Identifier: MIT */
/* What the SMT engine sees of a trace: the events from `start` to `end`, with
 * everything before `start` executed in the observed order and nothing after
 * `end`. A window over the whole trace loses nothing.
 *
 * It holds, by object, whatever constrains another thread, and the must-order:
 * program order, fork and join, barriers, once, and a read after the only write
 * it may see. If x must come before y, then no correct reordering executes y
 * without x, and none executes y before x (Said et al., sections 3.1 and 5). */
#ifndef PREPLAY_CONSTRAINTS_SMT_WINDOW_H
#define PREPLAY_CONSTRAINTS_SMT_WINDOW_H

#include "base/array.h"
#include "model/machine.h"

/* From an acquire to its release. The acquire may lie before the window; the
 * release is POS_NONE if it is not in the window. */
struct smt_section {
    uint32_t lock, thread;
    uint32_t acquire, release;
    bool shared; /* a reader's */
};

/* A list of sections; lists share their tails. */
struct smt_hold {
    uint32_t section, next; /* place in sections; node, or 0 */
};

/* From event `index` of a thread on, the first node of the sections it holds; 0: none. */
struct smt_hold_change {
    uint32_t index, node;
};
struct smt_held ARRAY_OF(struct smt_hold_change);

/* From wait_begin to wait_end; either may lie before the window, and the end is
 * POS_NONE if it lies behind it. */
struct smt_wait {
    uint32_t condition, thread;
    uint32_t begin, end;
    bool failed; /* returned without a signal */
};

/* Positions, grouped by object: those of object o are items[offset[o]] up to
 * items[offset[o + 1]], ascending. */
struct smt_lists {
    uint32_t *offset, *items;
};

struct smt_edge {
    uint32_t from, to;
};

struct smt_window {
    const struct rules *rules;
    const struct history *history;
    uint32_t start, end;
    uint32_t excused;               /* a read that may see anything, or POS_NONE */
    uint32_t first_sync, last_sync; /* of the history's syncs, the window's */
    uint32_t *baseline;             /* by thread: index of its first event in the window */
    uint32_t *length;               /* by thread: index after its last event in the window */
    /* The must-order (smt_must.c): by pos - start its row, and rows of one count a thread. */
    uint32_t *row;
    struct smt_rows ARRAY_OF(uint32_t) rows;
    struct smt_edges ARRAY_OF(struct smt_edge) edges; /* between threads, hardly any implied */

    struct smt_lists writes;  /* by variable */
    struct smt_lists signals; /* by condition, broadcasts too */
    struct smt_lists posts, semaphore_waits;
    struct smt_lists failed_tries;                             /* by lock */
    struct smt_lists enters;                                   /* by barrier instance */
    struct smt_sections ARRAY_OF(struct smt_section) sections; /* by lock, then acquire */
    uint32_t *section_offset;                                  /* by lock, as in smt_lists */
    struct smt_waits ARRAY_OF(struct smt_wait) waits;          /* by condition, then begin */
    uint32_t *wait_offset;
    struct smt_held *held; /* by thread */
    struct smt_holds ARRAY_OF(struct smt_hold) holds;
    /* By pos - start, of synchronisation: section that begins or ends there, plus one; 0: none. */
    uint32_t *section_at;
    uint32_t *release_of; /* by pos - start, of acquires: the release in the window or POS_NONE */

    /* The state in which the window starts. */
    uint32_t *last_write;      /* by variable: pos or POS_NONE */
    uint32_t *semaphore_count; /* by semaphore */
};

struct smt_window *smt_window_create(const struct rules *rules, uint32_t start, uint32_t end);
/* Of the whole trace, with one event that may see anything. */
struct smt_window *smt_window_create_excusing(const struct rules *rules, uint32_t excused);
void smt_window_destroy(struct smt_window *window);

/* For the parts of the window. */

void smt_window_find_sections(struct smt_window *window);
/* Returns the first position whose waits and signals still matter: a thread that waits when
 * the window starts may use signals sent since it began to wait, which others may have used
 * up. */
uint32_t smt_window_find_waits(struct smt_window *window);
void smt_window_make_clocks(struct smt_window *window);

/* Must `a` come before `b` in every reordering that executes `b`? Both in the
 * trace before the window's end. */
bool smt_must(const struct smt_window *window, uint32_t a, uint32_t b);
/* How many events of `thread` must have come when `pos` has, itself included. */
uint32_t smt_must_count(const struct smt_window *window, uint32_t pos, uint32_t thread);
/* The same for the events before `b` in its thread: is `a` executed whenever `b`
 * is the next event of its thread? What `b` itself reads does not matter. */
bool smt_must_precede(const struct smt_window *window, uint32_t a, uint32_t b);

/* Are the two accesses, of different threads, inside sections that exclude each
 * other? If so, the sections' places are in `a_section` and `b_section`. */
bool smt_excluded(const struct smt_window *window, uint32_t a, uint32_t b, uint32_t *a_section,
                  uint32_t *b_section);

/* Does the model keep what this read sees, whatever comes after it? Not if it is excused. */
bool smt_keeps(const struct smt_window *window, uint32_t read);
/* May `read` see `write` (POS_NONE: what the window starts with) and be as it
 * was observed? */
bool smt_may_see(const struct smt_window *window, uint32_t read, uint32_t write);

#endif
