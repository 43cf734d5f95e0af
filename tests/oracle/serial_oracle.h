/* Whether the observed order of a small trace is conflict-serialisable, from the
 * definition: all pairs of events that conflict, transactions (each outermost block,
 * and each event outside of blocks), the transitive closure, and a look for two
 * transactions that come before each other. Every block counts as atomic. */
#ifndef PREPLAY_ORACLE_SERIAL_ORACLE_H
#define PREPLAY_ORACLE_SERIAL_ORACLE_H

#include "trace/finding.h"
#include "trace/history.h"

struct serial_truth {
    uint32_t transactions;
    uint32_t *of; /* by pos: the event's transaction */
    bool *before; /* transactions * transactions: reachable by one conflict or more */
    bool serialisable;
};

void serial_truth_init(struct serial_truth *truth, const struct history *history);
void serial_truth_free(struct serial_truth *truth);

/* Is the order of two events, a first, part of what the run means? */
bool serial_conflict(const struct history *history, uint32_t a, uint32_t b);

/* A second opinion for a handful of transactions: tries all serial orders. */
bool serial_by_permutation(const struct serial_truth *truth, const struct history *history);

/* The finding's window lies in one block, and its culprit's transaction both follows
 * the window's begin and precedes its end. */
bool serial_explains(const struct serial_truth *truth, const struct history *history,
                     const struct finding *finding);

/* The least number of conflicts between threads in a cycle that leaves the transaction and
 * is back in it later, at the first event there that conflicts with the last
 * step's source; 0 if there is no such cycle. Program order is no conflict, and whoever
 * is entered in a block may be left anywhere in it. Tries every way. */
uint32_t serial_shortest(const struct serial_truth *truth, const struct history *history,
                         uint32_t transaction);

#endif
