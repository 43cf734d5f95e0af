/* SPDX-License-Identifier: MIT */
/* A witness that lists turns (trace/turns.h), executed without listing what is in between. Under
 * `sync`, plain accesses have no rule but program order, so that only synchronisation is looked
 * at: the cost of a schedule over millions of accesses is that of its locks. */
#ifndef PREPLAY_MODEL_TURNS_RUN_H
#define PREPLAY_MODEL_TURNS_RUN_H

#include "model/machine.h"

/* What a rule forbids: the event, and its place among all events of the turns. */
struct turns_stop {
    enum rule rule;
    uint32_t at, pos;
};

/* Executes the turns, and what the threads of the last `ends` ones do before those, which are not
 * executed. False if a rule forbids something. The last ones must be events that happened. */
bool turns_run(struct machine *machine, const struct rules *rules, const uint32_t *turns,
               uint32_t length, uint32_t ends, struct turns_stop *stop);

#endif
