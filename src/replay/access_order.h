/* SPDX-License-Identifier: MIT */
/* Which accesses of a witness a schedule must order itself.
 *
 * A schedule lists synchronisation; two accesses are in order by it if the thread of
 * the first performs a step after it and that comes before a step which the thread of
 * the second performs before it. Where threads see each other's writes without that
 * (atomics, races on the way), the accesses are listed, too. */
#ifndef PREPLAY_REPLAY_ACCESS_ORDER_H
#define PREPLAY_REPLAY_ACCESS_ORDER_H

#include "replay/schedule_writer.h"

/* By place in the witness, up to `prefix`: is the access listed? NULL if none is. */
bool *access_order_find(const struct history *history, const struct finding *finding,
                        uint32_t prefix, enum schedule_detail detail);

#endif
