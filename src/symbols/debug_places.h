/* SPDX-License-Identifier: MIT */
/* Source places of a module's code, from its DWARF: the line, and the functions that the
 * compiler put together there.
 *
 * Two tables are made on the way, so that an address costs a binary search or two and
 * not a walk: compilation units by address (clang leaves out the section that others
 * go by), and the functions of each unit that was asked for. */
#ifndef PREPLAY_SYMBOLS_DEBUG_PLACES_H
#define PREPLAY_SYMBOLS_DEBUG_PLACES_H

#include <elfutils/libdwfl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct debug_places;

struct debug_frame {
    const char *function;  /* as the linker knows it, or NULL */
    const char *file;      /* never NULL */
    const char *directory; /* where the compiler ran, or NULL */
    const char *compiled;  /* the file that was compiled, perhaps from there, or NULL */
    int line, column;      /* column 0: not known */
};

/* NULL if the module has no debug information. The module must outlive it. */
struct debug_places *debug_places_create(Dwfl_Module *module);
void debug_places_destroy(struct debug_places *places);

/* Innermost first: inlined functions, then the one around them. At most `most`; 0 if
 * nothing is known about the address. */
size_t debug_places_find(struct debug_places *places, uint64_t pc, struct debug_frame *frames,
                         size_t most);

/* Is the place in a header of the system's, such as the C++ library's? All programs share it. */
bool debug_place_is_library(const char *place);

#endif
