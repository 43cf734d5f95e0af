/* SPDX-License-Identifier: MIT */
/* A cycle of transactions as a finding: the window in its victim, the culprit, the
 * blocks to blame, and every step in the note. */
#ifndef PREPLAY_ATOMICITY_EXPLAIN_H
#define PREPLAY_ATOMICITY_EXPLAIN_H

#include "atomicity/blame.h"
#include "atomicity/transaction_graph.h"

void explain_cycle(struct engine_run *run, struct blame *blame, const struct cycle *cycle);

#endif
