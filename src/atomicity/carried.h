/* SPDX-License-Identifier: MIT */
/* Blocks that nobody annotated: a value that is carried from one critical section to the next.
 *
 *     lock; v = x; unlock;  ...  lock; x = v + 1; unlock
 *
 * A thread reads x in a section of a lock and writes x in a later section of the same lock. The
 * write is meant to be atomic with the read if
 *   - what was read goes into what is written, by the program's code (symbols/value_flow.h);
 *   - the later section does not read x itself before it writes: who looks again may find out;
 *   - one pass through one function (after inlining; its callees count as the calls) leads from the
 *     read to the write, and everything the thread does in between belongs to it: neither another
 *     turn of a loop, nor another call of the function;
 *   - the thread does not wait in between: at a condition, a barrier, a join, a semaphore.
 * An atomic load and an atomic store of one variable are such sections, without a lock.
 *
 *     lock; free = places > 0; unlock;  if (free) { lock; places--; unlock }
 *
 * A check, and an act on it: what is read decides whether the write comes (by a branch of the same
 * function), the write changes what is there, and no read of x in the later section decides about
 * it again. Only another thread that does the same breaks it: others may change x in a way that
 * leaves the check true. Passes and waits are as above.
 *
 * What this misses: values that go through memory other than the stack or through out parameters,
 * checks of one variable before acts on another, and what is carried over a wait. Without the
 * program's code, or on another machine than x86-64, nothing is found. */
#ifndef PREPLAY_ATOMICITY_CARRIED_H
#define PREPLAY_ATOMICITY_CARRIED_H

#include "atomicity/windows.h"

/* Adds windows; their labels are functions. Nothing for traces without code. */
void carried_find(struct windows *windows, const struct history *history);

#endif
