/* SPDX-License-Identifier: MIT */
/* Calls in machine code. An edit elsewhere moves addresses and lines; which of a function's calls
 * of one callee an instruction is stays the same, so ids of findings are made of that. */
#ifndef PREPLAY_SYMBOLS_DEBUG_CODE_H
#define PREPLAY_SYMBOLS_DEBUG_CODE_H

#include <elfutils/libdwfl.h>
#include <stddef.h>
#include <stdint.h>

/* The calls in the code from `start` to `end` that have the callee of the call that returns to
 * `after`: their return addresses, ascending, at most `most`. 0 if the module's file has no code
 * (only debug information), or no direct call ends at `after`. */
size_t debug_code_alike(Dwfl_Module *module, uint64_t start, uint64_t end, uint64_t after,
                        uint64_t *returns, size_t most);

#endif
