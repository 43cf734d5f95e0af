/* SPDX-License-Identifier: MIT */
/* The modules of the process, as far as calls from one to another go (library_hooks.h). */
#ifndef PREPLAY_RUNTIME_LIBRARY_CODE_H
#define PREPLAY_RUNTIME_LIBRARY_CODE_H

#include <stdbool.h>
#include <stdint.h>

struct library_code {
    uintptr_t low, high, bias;
    uintptr_t code_low, code_high;     /* what can be run */
    uintptr_t closed_low, closed_high; /* what the loader wrote and then closed */
    const void *dynamic;
    const char *path;
    bool instrumented;
};

/* How many modules were loaded so far. */
uint64_t library_code_loads(void);
/* The first module that is wanted; false if there is none. */
bool library_code_first(bool (*is_wanted)(const struct library_code *), struct library_code *found);

/* Each slot through which the module calls functions of others, and the function. */
typedef void library_code_slot(void *context, uintptr_t *slot, uintptr_t function);
void library_code_slots(const struct library_code *module, library_code_slot *each, void *context);

/* Is the code of a library whose name begins so? */
bool library_code_is_of(uintptr_t code, const char *name);

/* The edge (edges.h) of the library that holds this code, if it synchronises by itself; else 0. */
uint64_t library_code_edge(uintptr_t code);

#endif
