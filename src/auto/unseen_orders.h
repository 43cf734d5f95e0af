/* SPDX-License-Identifier: MIT */
/* Candidates that a library may order which is not instrumented: in the observed run a path leads
 * from one access to the other, but only through calls into that library (EVENT_UNSEEN). Nobody
 * knows whether the library really orders them; replay may show that it does not. */
#ifndef PREPLAY_AUTO_UNSEEN_ORDERS_H
#define PREPLAY_AUTO_UNSEEN_ORDERS_H

#include "engine/engine.h"

/* Gives these races a note with the library's name, and what to do. Needs the run's history. */
void unseen_orders_note(struct engine_run *run);

#endif
