/* A cycle of transactions as a finding: the window in its victim, the culprit, the
 * blocks to blame, and every step in the note. */
#ifndef PREPLAY_ENGINE_EXPLAIN_H
#define PREPLAY_ENGINE_EXPLAIN_H

#include "engine/blame.h"
#include "engine/transaction_graph.h"

void explain_cycle(struct engine_run *run, struct blame *blame, const struct cycle *cycle);

#endif
