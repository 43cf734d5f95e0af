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
 * What this misses: values that go through memory other than the stack or through out parameters,
 * decisions (check, then act) and values that are carried over a wait. Without the program's code,
 * or on another machine than x86-64, nothing is found. */
#ifndef PREPLAY_ATOMICITY_CARRIED_H
#define PREPLAY_ATOMICITY_CARRIED_H

#include "atomicity/windows.h"

/* Adds windows; their labels are functions. Nothing for traces without code. */
void carried_find(struct windows *windows, const struct history *history);

#endif
