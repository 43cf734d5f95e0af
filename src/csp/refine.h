/* SPDX-License-Identifier: MIT */
/* Refinement checks of the CSP model: can the product of the processes reach the
 * state that the specification forbids? For a race that is a state in which both
 * threads stand right before the two accesses (the trace that makes the pattern
 * process do `race`); for a deadlock one in which each thread of the cycle stands
 * before an acquire that the next one's thread refuses it (a failure).
 *
 * Exact for the `sync` model within the window: REFINE_FOUND comes with a shortest
 * counterexample, REFINE_HOLDS means there is none, and REFINE_INCOMPLETE that the
 * limits were reached first. */
#ifndef PREPLAY_CSP_REFINE_H
#define PREPLAY_CSP_REFINE_H

#include "csp/stubborn.h"
#include "csp/symmetry.h"

enum refinement { REFINE_HOLDS, REFINE_FOUND, REFINE_INCOMPLETE };

struct refine_limits {
    uint64_t states;  /* stored at most */
    uint64_t bytes;   /* taken by them at most */
    uint64_t work;    /* of one check at most, see refiner_work(); 0: no bound */
    bool no_symmetry; /* tell threads that are alike apart */
};

/* How a state was reached first. */
struct state_link {
    uint32_t parent, process;
};

struct counterexample_path ARRAY_OF(uint32_t);

struct refiner {
    const struct processes *processes;
    struct slice *slice;
    struct product *product;
    struct stubborn *stubborn;
    struct symmetry *symmetry; /* or NULL */
    uint32_t *sorted;          /* scratch: a state */
    struct refine_limits limits;
    struct counterexample_path path; /* of the last counterexample: positions of its steps */
    uint64_t states;                 /* stored in all checks so far */
    /* The states of the current check. */
    struct state_words ARRAY_OF(uint32_t) words;
    struct state_links ARRAY_OF(struct state_link) links;
    struct state_stack ARRAY_OF(uint32_t) now, later; /* states not looked at yet */
    uint32_t *table;                                  /* state number + 1, open addressing */
    size_t table_size, table_room;
    uint64_t work; /* words of states moved so far */
};

struct refiner *refiner_create(const struct processes *processes, struct refine_limits limits);
void refiner_destroy(struct refiner *refiner);

/* Checks one goal: `targets`, one event a thread. */
enum refinement refiner_check(struct refiner *refiner, const uint32_t *targets, uint32_t count);

/* The same for more of a goal, without asking that returns from waits among the targets were
 * signalled. */
enum refinement refiner_reach(struct refiner *refiner, const struct slice_goal *goal);

/* What all checks have cost so far, counted in small steps (words moved, processes and
 * uses looked at), so that bounds on it do not depend on the machine. */
uint64_t refiner_work(const struct refiner *refiner);

/* The counterexample as a witness: the observed prefix, every event up to the
 * targets, the targets last, in their order. The caller frees it. */
uint32_t *refiner_witness(const struct refiner *refiner, const uint32_t *targets, uint32_t count,
                          uint32_t *length);

#endif
