/* The history in which a run ends at its first misuse: each destroy that has a rule (misuse.h) is
 * an acquire of its lock that is never released. It needs the lock free, as a destroy does, and
 * nobody can have the lock after it: so the witness search, which knows locks, never passes a
 * misuse on its way. Positions are the same. */
#ifndef PREPLAY_MISUSE_STRICT_H
#define PREPLAY_MISUSE_STRICT_H

#include "model/misuse.h"

struct history *strict_history_create(const struct misuse_index *index);

#endif
