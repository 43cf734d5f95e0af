/* SPDX-License-Identifier: MIT */
/* What can come after what in one pass through a function: its instructions without the edges that
 * go round a loop. Two places of which one is reached from the other in this way are of one call
 * and of one turn of every loop around both. */
#ifndef PREPLAY_SYMBOLS_ONE_PASS_H
#define PREPLAY_SYMBOLS_ONE_PASS_H

#include "symbols/machine_code.h"

/* By instruction: which of its two ways on go back. */
enum one_pass_back { BACK_NEXT = 1, BACK_TARGET = 2 };

/* NEW_ARRAY of the function's count; free() it. */
uint8_t *one_pass_edges(const struct function_code *function);

/* Where the instruction goes on in this pass: up to two indices. */
size_t one_pass_next(const struct function_code *function, const uint8_t *edges, size_t index,
                     size_t next[2]);
/* Does a pass lead from behind `from` to `via` and on to `to`? Loops that begin behind `from` may
 * be gone round on the second part of the way: the place in between may lie in one. */
bool one_pass_reaches(const struct function_code *function, const uint8_t *edges, size_t from,
                      size_t via, size_t to);

#endif
