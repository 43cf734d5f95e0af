/* SPDX-License-Identifier: MIT */
/* What a finding is, in the words of the field: which of its kind, and what it does. */
#ifndef PREPLAY_REPORT_NATURE_H
#define PREPLAY_REPORT_NATURE_H

#include "report/held.h"

/* "use after free", "double-checked locking", "lock-order inversion", "lost wake-up"; where nothing
 * closer is certain, its kind: "data race", "deadlock". Without `history` or `held` less is. */
const char *nature_of(const struct history *history, const struct held *held,
                      const struct finding *finding);

/* What the i-th event is to it: "First step", "Last step" and "In between" of an atomicity
 * violation, "Too early", "Too late" and "The write" of an order violation; "" of all others. */
const char *nature_role(const struct finding *finding, uint32_t i);

/* What became of the program, as replays saw it: "crashes in main", "result differs", "no effect
 * seen". False, and an empty text, if no replay told. */
bool nature_effect(const struct finding *finding, char *text, size_t size);

#endif
