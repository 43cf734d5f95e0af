/* SPDX-License-Identifier: MIT */
/* Which untimely reads (model/untimely.h) the recorded run itself speaks for: told to nobody who
 * did not ask.
 *
 *   - The program provides for it. A read at the same place was early in this very run, and all
 *     went well: it saw the initial state of what another thread wrote afterwards; or it saw what
 *     the end of a variable left, written at the same place as here. Or it is the check of a wait:
 *     the thread waits for a condition when it does not like what it reads (skipped_waits.h knows
 *     that of code that did not wait), or spins on an atomic variable.
 *   - There is no order to keep. The thread that reads writes the variable later, or two threads
 *     and more write it: it is shared state, a counter or a queue, which nobody initialises for
 *     anybody. Or the write behind a late read adds to what is there (the machine code tells): a
 *     count that goes on is not gone.
 *   - The two accesses race: they are told as a race. */
#ifndef PREPLAY_ATOMICITY_PROVIDED_FOR_H
#define PREPLAY_ATOMICITY_PROVIDED_FOR_H

#include "model/untimely.h"
#include "trace/finding.h"

struct provided_for;

/* `findings`: with the races. */
struct provided_for *provided_for_create(const struct history *history,
                                         const struct findings *findings);
void provided_for_destroy(struct provided_for *provided);
bool provided_for_has(const struct provided_for *provided, const struct untimely *read);

#endif
