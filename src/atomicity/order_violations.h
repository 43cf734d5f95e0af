/* SPDX-License-Identifier: MIT */
/* Order violations (model/untimely.h), for the engine `order` and for `auto`. */
#ifndef PREPLAY_ATOMICITY_ORDER_VIOLATIONS_H
#define PREPLAY_ATOMICITY_ORDER_VIOLATIONS_H

#include "engine/engine.h"
#include "search/solve.h"

/* Adds to the run's findings the untimely reads that some correct reordering has, under the
 * ladder's sound models, or the one that was asked for. */
void order_violations_find(struct engine_run *run, const struct ladder *ladder);
/* The same for who does not ask for them: programs are full of reads that may come early or late
 * because they are made for it, so all are candidates, for replay to show what comes of them; and
 * left out is what the run itself has shown to be provided for, or to be no matter of order (the
 * rules are in docs/engines/order.md). After the races, which are not told twice. */
void order_violations_suspect(struct engine_run *run, const struct ladder *ladder);

#endif
