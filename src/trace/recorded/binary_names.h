/* SPDX-License-Identifier: MIT */
/* Names for what a recorded program synchronises on and shares. An address means
 * another object after its memory was allocated anew, or after it was
 * initialised again: names carry a running number where an address is reused. */
#ifndef PREPLAY_TRACE_RECORDED_BINARY_NAMES_H
#define PREPLAY_TRACE_RECORDED_BINARY_NAMES_H

#include "symbols/symbols.h"
#include "trace/trace.h"

struct binary_names;

struct binary_names *binary_names_create(struct symbols *symbols);
void binary_names_destroy(struct binary_names *names);
/* Back to the beginning, for the second pass. */
void binary_names_reset(struct binary_names *names);

/* The synchronisation object of this class at the address: numbered from 0 over
 * all classes, in order of first use. */
uint32_t binary_names_sync(struct binary_names *names, enum object_class class, uint64_t address);
/* The memory is new, or the object at this very address is. */
void binary_names_forget(struct binary_names *names, uint64_t address, uint64_t length);

/* A text for an address: a symbol and an offset, or the number itself. Returns its length. Symbols
 * of C++ templates have thousands of characters, and are to be read only as a whole. */
enum { BINARY_NAME_LENGTH = 16384 };
int binary_names_describe(const struct binary_names *names, uint64_t address,
                          char text[BINARY_NAME_LENGTH]);
/* The same for readers: the member or element of the variable, as the source has it, that `length`
 * bytes there are (0: not known). */
int binary_names_show(const struct binary_names *names, uint64_t address, uint64_t length,
                      char text[BINARY_NAME_LENGTH]);
/* Is it a symbol's? */
bool binary_names_is_global(const struct binary_names *names, uint64_t address);
/* The same, interned: unique by a suffix if `trace` has that name in `class` already.
 * Returns its id. */
uint32_t binary_names_intern(struct binary_names *names, struct trace *trace,
                             enum object_class class, uint64_t address);
/* The id of a once-block that stands for the n-th signal of the condition at an address. */
uint32_t binary_names_latch(struct binary_names *names, struct trace *trace, uint64_t address,
                            uint32_t number);

#endif
