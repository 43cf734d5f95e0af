/* SPDX-License-Identifier: MIT */
/* Waits for a condition inside a library that is not instrumented: it takes the mutex, looks at
 * what it waits for and waits, and of all that only the mutex and the wait are seen. A signal that
 * comes before such a wait is not lost, since the library would have seen what it is about; but no
 * recorded read tells.
 *
 * A library that merely wraps the wait is another matter: then the program has looked, after it
 * took the mutex, and that was recorded. */
#ifndef PREPLAY_TRACE_RECORDED_UNSEEN_WAITS_H
#define PREPLAY_TRACE_RECORDED_UNSEEN_WAITS_H

#include "symbols/symbols.h"
#include "trace/recorded/binary_stream.h"

struct unseen_waits;

struct unseen_waits *unseen_waits_create(struct symbols *symbols, struct binary_places *places);
void unseen_waits_destroy(struct unseen_waits *waits);

/* Is the unit's record the beginning or the end of such a wait? To be asked of each in turn ... */
bool unseen_waits_is(struct unseen_waits *waits, const struct binary_unit *unit, uint32_t thread);
/* ... and to be followed by the accesses that came with it. */
void unseen_waits_follow(struct unseen_waits *waits, const struct binary_unit *unit,
                         uint32_t thread);

#endif
