/* SPDX-License-Identifier: MIT */
/* What the parts of the generator share. Private to it. */
#ifndef PREPLAY_TIDDLE_PROGRAM_PARTS_H
#define PREPLAY_TIDDLE_PROGRAM_PARTS_H

#include "tiddle/bodies.h"
#include "tiddle/program.h"

struct program {
    FILE *out;
    struct trace *trace;
    const struct program_options *options;
    bool strict;
    struct plan plan;
    struct identifiers *identifiers;
    struct bodies bodies;
};

/* Everything before the first function of the program's own: heading, machinery and
 * the shared objects. */
void program_write_head(struct program *program);

/* Calls `each` for every pthread_barrier_t. */
void program_for_barriers(struct program *program,
                          void (*each)(FILE *out, const char *name, uint32_t parties));

#endif
