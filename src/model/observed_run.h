/* SPDX-License-Identifier: MIT */
/* The recorded run up to some moment, as a machine: what witnesses begin with that leave it
 * only later. Many of them share one walk over the trace, if they are asked for in the order
 * of their moments. */
#ifndef PREPLAY_MODEL_OBSERVED_RUN_H
#define PREPLAY_MODEL_OBSERVED_RUN_H

#include "model/machine.h"

/* A zeroed one stands nowhere. */
struct observed_run {
    struct machine *machine;
    uint32_t pos; /* the events before it are executed */
};

/* The machine after all events before `pos`; it belongs to the run. NULL if a rule forbids
 * what was recorded. */
const struct machine *observed_run_at(struct observed_run *run, const struct rules *rules,
                                      uint32_t pos);
void observed_run_free(struct observed_run *run);

#endif
