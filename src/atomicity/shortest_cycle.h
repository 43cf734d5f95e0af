/* SPDX-License-Identifier: MIT */
/* The shortest cycles of conflicts through atomic blocks.
 *
 * A cycle leaves a block, the victim, with an operation that conflicts with a later one of
 * another thread, goes on from that thread, and is back in the victim after the event
 * at which it was left: at the first one there that conflicts with the last step's
 * source. Whoever is entered inside a block may be left
 * anywhere in it: blocks are one. From there on every later event of the thread
 * may follow: program order costs nothing, so the length of a cycle is the number of
 * its conflicts between threads, which is what a reader has to follow.
 *
 * All conflicts count, also those that others imply, so no shorter cycle exists. Which
 * events a thread can go on from is one number, the earliest of them; hence a breadth-
 * first search over threads, in which each operation on an object is looked at once for
 * each of the places at which the victim may be left. */
#ifndef PREPLAY_ATOMICITY_SHORTEST_CYCLE_H
#define PREPLAY_ATOMICITY_SHORTEST_CYCLE_H

#include "relations/access_history.h"

/* Operations on an object: ORDERED ones conflict with all, ONE with OTHER, but not with
 * their like. Reads are ONE. Of a semaphore, posts are ONE, waits OTHER, failed waits
 * ORDERED: a post comes before the waits it may have served, a wait before those
 * that failed, and these before the posts that would have served them. */
enum touch_kind { ORDERED, ONE, OTHER, TOUCH_KINDS };

#define NO_BLOCK UINT32_MAX

/* A thread has two objects: a fork is ONE and the thread's first event OTHER on its
 * CLASS_THREAD, its last event and its joins so on its CLASS_JOIN. */
enum { CLASS_JOIN = CLASS_COUNT };

/* Operations of one thread on an object, all in one block or all outside, with nothing
 * that conflicts by another thread in between: what comes after one of them comes
 * after all. */
struct touch {
    uint32_t node;  /* the transaction (transaction_graph.h) */
    uint32_t block; /* index in the thread at which the block begins, or NO_BLOCK */
    uint32_t object;
    uint8_t object_class, kind;
    struct access first, last;
};

struct cycle_step {
    struct access source, target; /* of two threads */
    enum object_class object_class;
    uint32_t object;
};

/* It leaves the victim at steps[0].source and is back, later in the victim's order, at
 * the target of the last step. */
struct cycle {
    uint32_t victim;
    const struct cycle_step *steps;
    uint32_t count;
    const uint32_t *labels; /* blocks around both places, outermost first */
    uint32_t label_count;
};
typedef void cycle_report(void *context, struct cycle *cycle);

struct cycle_finder;
struct cycle_finder *cycle_finder_create(void);
void cycle_finder_destroy(struct cycle_finder *finder);

/* One operation of a strongly connected component of transactions; kept as a pointer. */
void cycle_finder_add(struct cycle_finder *finder, const struct touch *touch, uint32_t component);

/* Reports a shortest cycle for every block that is a victim (labels are left to the
 * caller), and forgets the operations. Where that would take more than a constant
 * multiple of their number, at least one for every component. */
void cycle_finder_run(struct cycle_finder *finder, cycle_report *report, void *context);

#endif
