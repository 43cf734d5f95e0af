/* SPDX-License-Identifier: MIT */
/* What the questions about waiting code (wait_code.h) share: modules with code, places in them, and
 * walks over the instructions of a function. */
#ifndef PREPLAY_SYMBOLS_CODE_WALK_H
#define PREPLAY_SYMBOLS_CODE_WALK_H

#include "base/array.h"
#include "base/map.h"
#include "symbols/machine_code.h"

enum {
    CALLS_DEPTH = 6, /* of functions of the program's own that are looked into */
    LOCKS_MOST = 3,  /* other mutexes that a path holds besides */
    WAITS_MOST = 8,  /* calls that wait, of one walk */
};

/* A file with code. */
struct code_module {
    const char *path; /* the symbols' own */
    struct machine_code *code;
    struct map roles; /* address of a function -> enum role */
    struct map idle;  /* the same -> does it do nothing that others see? */
};

struct symbols;

struct code_files {
    struct symbols *symbols;
    struct modules ARRAY_OF(struct code_module) modules;
};

struct code_place {
    struct symbols *symbols;
    struct code_module *module;
    const struct function_code *function;
    uint64_t bias; /* of what is loaded, against what is linked */
};

void code_files_free(struct code_files *files);

/* The code around `pc`; false if it cannot be read. */
bool code_place_find(struct code_files *files, uint64_t pc, struct code_place *place);

/* Does the instruction belong to the source line (as symbols_line tells it)? */
bool code_is_on(const struct code_place *place, const struct instruction *one, const char *line);

/* Does the jump (or call) leave the function? */
static inline bool code_leaves(const struct function_code *function, const struct instruction *one)
{
    return one->through_slot || one->target < function->low || one->target >= function->high;
}

struct code_walk {
    bool *seen; /* an instruction with so many mutexes more, each */
    struct steps ARRAY_OF(size_t) steps;
    size_t waits[WAITS_MOST]; /* instructions that wait */
    size_t wait_count;
    bool returns;
};

static inline void code_walk_to(struct code_walk *walk, size_t index, size_t count, size_t locks)
{
    size_t state = index * LOCKS_MOST + locks;
    if (index >= count || walk->seen[state])
        return;
    walk->seen[state] = true;
    array_push(&walk->steps, state);
}

static inline void code_walk_end(struct code_walk *walk)
{
    array_free(&walk->steps);
    free(walk->seen);
}

/* The first instruction at or behind an address. */
static inline size_t code_index(const struct function_code *function, uint64_t address)
{
    size_t low = 0, high = function->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (function->items[middle].address < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

#endif
