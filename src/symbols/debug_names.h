/* SPDX-License-Identifier: MIT */
/* The symbols of a module by address: functions and variables. A sorted table, for
 * libdwfl looks at every symbol for every address. */
#ifndef PREPLAY_SYMBOLS_DEBUG_NAMES_H
#define PREPLAY_SYMBOLS_DEBUG_NAMES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stdint.h>

struct debug_names;

struct debug_names *debug_names_create(Dwfl_Module *module);
void debug_names_destroy(struct debug_names *names);

/* The function around an address, and the offset into it, or NULL. */
const char *debug_names_function(const struct debug_names *names, uint64_t address,
                                 uint64_t *offset);
/* Where the function around an address begins and ends; false if there is none. */
bool debug_names_extent(const struct debug_names *names, uint64_t address, uint64_t *start,
                        uint64_t *end);
/* The variable there, and the offset into it, or NULL. */
const char *debug_names_variable(const struct debug_names *names, uint64_t address,
                                 uint64_t *offset);

#endif
