/* SPDX-License-Identifier: MIT */
/* Which of its like a place is in its function: the n-th source line, in the order of the code,
 * that calls the same callee (what is recorded is a call of the runtime or of the C library) or,
 * for code without such calls, the n-th line at all. Lines are compared, never counted, so that a
 * comment or a new function above changes nothing; and copies that the compiler made of one line
 * (unrolled loops) are one. */
#ifndef PREPLAY_SYMBOLS_DEBUG_RANK_H
#define PREPLAY_SYMBOLS_DEBUG_RANK_H

#include "base/map.h"
#include "symbols/debug_names.h"
#include "symbols/debug_places.h"

#include <stdbool.h>

/* Of the code that returns to, or ends at, `after`. `places` may be NULL: then every call is a
 * place of its own. `known` keeps the ranks of the calls that were numbered on the way: a function
 * with thousands of places is walked once. False if the function's code or extent is not known. */
bool debug_rank(Dwfl_Module *module, const struct debug_names *names, struct debug_places *places,
                uint64_t after, struct map *known, unsigned *rank);

#endif
