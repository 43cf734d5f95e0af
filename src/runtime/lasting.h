/* SPDX-License-Identifier: MIT */
/* Locks of the program's own making that annotations declare to last as long as the program: their
 * constructors and destructors do nothing, so that they may be used before the one and after the
 * other, and neither is recorded. All other locks end with their destroy.
 *
 * What is said of an address is kept in tables of a fixed size (some thousand locks), and forgotten
 * if there is no room. No signal and no fork finds them half done. */
#ifndef PREPLAY_RUNTIME_LASTING_H
#define PREPLAY_RUNTIME_LASTING_H

#include <stdbool.h>

/* The lock's constructor has run, and does nothing. */
void lasting_declare(const volatile void *lock);
/* The lock's constructor has made a new lock; `dynamic`: one that is none of the static ones. */
void lasting_make(const volatile void *lock, bool dynamic);
/* Is its destructor the end of the lock? `if_dynamic`: only of those that were made dynamic. */
bool lasting_ends(const volatile void *lock, bool if_dynamic);

#endif
