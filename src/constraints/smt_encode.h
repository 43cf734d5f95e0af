/* SPDX-License-Identifier: MIT */
/* From a window to constraints: what an order of events, and a prefix of every
 * thread, must satisfy to be a correct reordering (Said et al., sections 3 and 4).
 *
 * Beside its place in the order, every event has a truth value: is it executed?
 * An event that is not executed need not keep any rule, so a pair asks only for
 * the prefix that leads to it. One encoding serves all pairs of a window: a pair
 * is a handful of assumptions about which events are executed.
 *
 * Orders that the must-order of the window decides are decided here, so what
 * remains is only what the solver has to find out (Said et al., section 4.2). */
#ifndef PREPLAY_CONSTRAINTS_SMT_ENCODE_H
#define PREPLAY_CONSTRAINTS_SMT_ENCODE_H

#include "constraints/smt_formula.h"
#include "constraints/smt_window.h"

/* How "one owner a lock" is said. */
enum smt_style {
    /* One clause a pair of critical sections: this one is over before that one
     * begins, or the other way round. */
    SMT_SECTIONS,
    /* Said et al.'s equation 4: every event that assumes an owner comes right after
     * an event that leaves the lock so. Cubic; for comparison. */
    SMT_EQUATIONS,
};

struct smt_constraint {
    smt_ref formula; /* what the event must keep if it is executed */
    smt_ref guarded; /* the same with that condition: what holds in any case */
    uint32_t event;  /* POS_NONE: there is no condition */
    uint32_t about;  /* a model without this event keeps it anyway; POS_NONE: it may not */
    bool is_order;   /* only says what the must-order does */
};

struct smt_positions ARRAY_OF(uint32_t);

/* What can be required one by one. */
enum smt_said { SMT_SAID_AWAY, SMT_SAID_APART, SMT_SAID_EVENT, SMT_SAID_MEMORY, SMT_SAID_COUNT };

/* A write that a read may see (POS_NONE: what the window starts with), and the choice
 * that it does, perhaps negated; SMT_REF_TRUE if there is no other. */
struct smt_source {
    uint32_t read, write;
    smt_ref choice;
};

/* A choice "taker uses token", for signals and posts; every token has one taker. */
struct smt_use {
    uint32_t taker, token;
    smt_ref choice;
};
struct smt_uses ARRAY_OF(struct smt_use);

/* What a reordering shall lead to. */
struct smt_goal {
    const uint32_t *next; /* each is the next event of its thread; a witness ends in them */
    uint32_t next_count;
    const uint32_t *executed;
    uint32_t executed_count;
    /* Both are executed, in this order. Without `next`, a witness ends in the last `to`. */
    const struct smt_edge *orders;
    uint32_t order_count;
    /* An executed event that happens-before leaves unordered with the one that is next, or NULL.
     * Only under `rf`. */
    const uint32_t *unordered;
};

struct smt_encoding {
    const struct smt_window *window;
    enum smt_style style;
    uint32_t *needed; /* by thread: index after its last event that may be executed */
    struct smt_formula formula;
    struct smt_constraints ARRAY_OF(struct smt_constraint) constraints;
    /* Events that the constraints mention, by thread, in program order. Their
     * orders are stated by smt_encode_orders(); until then they are fresh. */
    struct smt_positions *used, fresh;
    bool *is_used, *is_fresh; /* by pos - start */
    struct map handovers;     /* (release, acquire) to "is executed before" */
    struct map covered;       /* three sections to what smt_memory.c said of them */
    struct map sources_of;    /* read to its first place in `sources` and their number */
    struct smt_sources ARRAY_OF(struct smt_source) sources;
    struct map said[SMT_SAID_COUNT];                  /* what was required one by one */
    struct smt_uses *condition_uses, *semaphore_uses; /* by object */
    uint32_t about;         /* scratch: for constraints without a condition */
    bool about_order;       /* scratch: they are of the must-order */
    smt_ref unordered;      /* the choice that the last goal with `unordered` is meant */
    bool observed_only;     /* reads see what they saw, as in `rf`: too strict for `value` */
    uint32_t *latest;       /* scratch, by thread */
    uint32_t *marks, round; /* scratch, by thread: marked if equal to round */
};

/* Of the events inside `needed` (by thread, as from smt_cone_find). */
struct smt_encoding *smt_encode(const struct smt_window *window, const uint32_t *needed,
                                enum smt_style style);
/* The same without any constraint yet: they are added one by one (smt_trial.h). */
struct smt_encoding *smt_encode_begin(const struct smt_window *window, const uint32_t *needed,
                                      enum smt_style style);
void smt_encoding_destroy(struct smt_encoding *encoding);

/* What leads to the goal: literals, appended to `assumptions`. Constraints about the order of
 * events used for the first time are added. False if the must-order rules it out. */
bool smt_assume(struct smt_encoding *encoding, const struct smt_goal *goal,
                struct smt_refs *assumptions);
/* The must-order of the events that are used since the last call. */
void smt_encode_orders(struct smt_encoding *encoding);

/* For the parts of the encoding. */

/* Is the event executed? A constant before the window and outside `needed`. */
smt_ref smt_is_executed(struct smt_encoding *encoding, uint32_t pos);
/* Is `a` before `b`? A constant where the must-order knows. */
smt_ref smt_is_before(struct smt_encoding *encoding, uint32_t a, uint32_t b);
/* Is `a` executed, and before `b`? */
smt_ref smt_is_executed_before(struct smt_encoding *encoding, uint32_t a, uint32_t b);
/* The same for the release of a section and the acquire of another one. */
smt_ref smt_is_handed_over(struct smt_encoding *encoding, uint32_t release, uint32_t acquire);
/* Is `a` before `b`, two accesses, if both are executed? Inside sections that exclude
 * each other the sections' order decides, so that all accesses share its atoms. */
smt_ref smt_is_access_before(struct smt_encoding *encoding, uint32_t a, uint32_t b);
/* Adds "if `event` is executed, then `formula`"; POS_NONE: always. */
void smt_require(struct smt_encoding *encoding, uint32_t event, smt_ref formula);
/* True the first time it is asked about these two. */
bool smt_is_new(struct smt_encoding *encoding, enum smt_said what, uint32_t a, uint32_t b);
/* Could the event be executed in this encoding? */
bool smt_is_possible(const struct smt_encoding *encoding, uint32_t pos);

void smt_encode_memory(struct smt_encoding *encoding);
void smt_encode_lock(struct smt_encoding *encoding, uint32_t lock);
void smt_encode_lock_equations(struct smt_encoding *encoding, uint32_t lock);
void smt_encode_conditions(struct smt_encoding *encoding);
void smt_encode_semaphores(struct smt_encoding *encoding);

/* One by one. True if that was not required yet. */

/* The read sees one of its sources, which are returned. */
bool smt_require_source(struct smt_encoding *encoding, uint32_t read,
                        const struct smt_source **sources, size_t *count);
/* `other`, a write, does not come between the source and its read. */
bool smt_require_away(struct smt_encoding *encoding, const struct smt_source *source,
                      uint32_t other);
/* The sections (places in window->sections) do not overlap. */
bool smt_require_apart(struct smt_encoding *encoding, uint32_t a, uint32_t b);
/* The wait returns (fails) as it did, or, if that is required already, all of its
 * object do. */
bool smt_require_wait(struct smt_encoding *encoding, uint32_t pos);
bool smt_require_semaphore_wait(struct smt_encoding *encoding, uint32_t pos);
bool smt_require_failed_try(struct smt_encoding *encoding, uint32_t pos);
/* All of memory, as smt_encode() does. */
bool smt_require_memory(struct smt_encoding *encoding);

#endif
