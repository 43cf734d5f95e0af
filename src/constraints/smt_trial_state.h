/* SPDX-License-Identifier: MIT */
/* A trial while it runs: smt_trial.c orders the events, smt_trial_rules.c executes them one
 * by one and looks which rules that breaks. */
#ifndef PREPLAY_CONSTRAINTS_SMT_TRIAL_STATE_H
#define PREPLAY_CONSTRAINTS_SMT_TRIAL_STATE_H

#include "constraints/smt_trial.h"

/* A write in the sequence, and the one of the same variable before it. */
struct trial_write {
    uint32_t pos, before; /* place in writes plus one, 0: none */
};

struct trial_last_write {
    uint32_t round, write; /* the trial that wrote this; place in writes plus one */
};

struct smt_trial {
    const struct smt_window *window;
    uint32_t stirred;      /* events before this one are executed as observed */
    uint32_t *edge_offset; /* by pos - start: the first edge to it */
    uint32_t *order_head;  /* by pos - start: an order to it, plus one */
    struct smt_positions order_next;
    uint32_t *done; /* by thread: index of its next event */
    struct smt_positions stack;
    struct smt_positions witness; /* from the trace's start on */

    uint32_t round;
    struct trial_last_write *last; /* by variable */
    struct writes ARRAY_OF(struct trial_write) writes;
    struct smt_positions held; /* sections, now */
    bool broken, added;
    uint32_t broken_at;
    struct smt_positions others;
    struct smt_hb *hb; /* NULL: not needed so far */
};

/* smt_unordered.c: happens-before of a witness. */
struct smt_hb *smt_hb_create(const struct smt_window *window);
void smt_hb_destroy(struct smt_hb *hb);
/* How the witness orders `first` before its last event; 0 if it does not. */
uint32_t smt_hb_follow(struct smt_hb *hb, const struct smt_positions *witness, uint32_t first);
/* Requires, for the goal that is asked for, that one of these edges is not there. */
void smt_hb_require_other(const struct smt_hb *hb, struct smt_encoding *encoding, uint32_t seen);

/* The event becomes the next one of the witness. What that breaks of memory and locks is
 * added to the encoding. */
void smt_trial_execute(struct smt_trial *trial, struct smt_encoding *encoding,
                       const struct smt_plan *plan, uint32_t pos);
/* Has a machine execute the witness, now with the goal's end, and adds what it misses. */
void smt_trial_check(struct smt_trial *trial, struct smt_encoding *encoding,
                     const struct smt_goal *goal);
/* The sequence breaks a rule at this event, perhaps not the first. */
void smt_trial_broken(struct smt_trial *trial, uint32_t pos);

#endif
