/* Deadlocks of two threads that are no cycle of locks: one waits for what only the
 * other can do, and holds a lock that the other needs first.
 *
 *   condition  the waiter keeps a lock (not the mutex of the wait), and the only
 *              thread that signals acquires that lock before it signals
 *   once       the thread that runs a once-routine acquires inside it a lock that
 *              another one holds while it waits for the routine
 *
 * Found are pairs (return from the wait, acquire); the witness search says whether
 * both can be next, the independent checker whether the wait is then without hope.
 * Sound. Not complete: two threads only, conditions that one thread signals, and a few
 * instances of each pair of places. */
#ifndef PREPLAY_ENGINE_BLOCKED_WAITS_H
#define PREPLAY_ENGINE_BLOCKED_WAITS_H

#include "engine/lost_wakeups.h"

/* `lost` says with which search and model; findings go to its run. */
void blocked_waits_find(const struct lost_wakeups *lost);

#endif
