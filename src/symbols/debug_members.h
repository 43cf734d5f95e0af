/* SPDX-License-Identifier: MIT */
/* What lies at an address inside a global variable, as the source names it: ".height", "[2].lock".
 * From the variable's type; nothing is said where that is not known. */
#ifndef PREPLAY_SYMBOLS_DEBUG_MEMBERS_H
#define PREPLAY_SYMBOLS_DEBUG_MEMBERS_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_members;

/* NULL if the module has no debug information. The module must outlive it. */
struct debug_members *debug_members_create(Dwfl_Module *module);
void debug_members_destroy(struct debug_members *members);

/* The path from the variable that covers `length` bytes at `address` (0: whatever begins there) to
 * the smallest part of it that does; an offset at its end ("+2") where that is not all of one.
 * False if no variable is known there. Locks and the like are not looked into. */
bool debug_members_path(struct debug_members *members, uint64_t address, uint64_t length,
                        char *path, size_t size);

#endif
