/* SPDX-License-Identifier: MIT */
/* Calls into libraries that are not instrumented and synchronise by instructions of their own
 * (library_hooks.h finds them). What such a call does is not seen: it may give something on, or
 * wait for what another thread gave on in another call. So each is an order that is possible: what
 * comes before a call comes before what follows later calls into the same library, and before what
 * the library calls back, as loose edges (encoding.h). Happens-before claims no race that such a
 * path orders; replay may show it all the same.
 *
 * That a call has returned is seen by the first thing that the program's own code does after it. */
#ifndef PREPLAY_RUNTIME_LIBRARY_CALLS_H
#define PREPLAY_RUNTIME_LIBRARY_CALLS_H

#include "runtime/recorder.h"

/* From now on; `of` tells the edge of the library that holds the code, or 0. */
void library_calls_start(uint64_t (*of)(uintptr_t code));
/* Code that is instrumented. */
void library_calls_own(uintptr_t low, uintptr_t high);

/* Before a call from `pc` into `library`. */
void library_calls_enter(struct recorder *self, uint64_t library, uintptr_t pc);

/* The halves of library_calls_returned() and the hooks of functions that are rarely needed. */
void library_calls_settle(struct recorder *self, uintptr_t pc);
void library_calls_function(struct recorder *self, uintptr_t caller);
void library_calls_back(struct recorder *self, uintptr_t pc);

/* Before what code that is instrumented does; recorder_code_runs() is for what others may do, too.
 */
static inline void library_calls_returned(struct recorder *self, uintptr_t pc)
{
    if (unlikely(self->library_pending))
        library_calls_settle(self, pc);
}

#endif
