/* SPDX-License-Identifier: MIT */
/* Runs engines over one reading of a trace. */
#ifndef PREPLAY_ENGINE_DRIVER_H
#define PREPLAY_ENGINE_DRIVER_H

#include "engine/engine.h"
#include "engine/whole.h"

struct driver {
    struct engine_run *runs;
    size_t count;
    const struct history *history; /* the whole trace, if it is in memory */
    struct engine_run *filters;    /* that nobody asked for by name */
    size_t filter_count;
    struct engine_options filter_options;
    struct whole whole;
};

/* Reads `trace` to its end. Findings of each run are sorted, and every witness
 * has passed the checker: one that does not is an ERROR_INTERNAL. `options` and
 * `trace` must outlive the driver. 0 or -1; driver_free() in either case. */
int driver_run(struct driver *driver, struct trace *trace, const struct engine *const *engines,
               size_t count, const struct engine_options *options, struct error *error);
void driver_free(struct driver *driver);

#endif
