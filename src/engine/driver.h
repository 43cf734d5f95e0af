/* Runs engines over one reading of a trace. */
#ifndef PREPLAY_ENGINE_DRIVER_H
#define PREPLAY_ENGINE_DRIVER_H

#include "engine/engine.h"

struct driver {
    struct engine_run *runs;
    size_t count;
    struct history *history; /* the whole trace, if some engine asked for it */
};

/* Reads `trace` to its end. Findings of each run are sorted, and every witness
 * has passed the checker: one that does not is an ERROR_INTERNAL. `options` and
 * `trace` must outlive the driver. 0 or -1; driver_free() in either case. */
int driver_run(struct driver *driver, struct trace *trace, const struct engine *const *engines,
               size_t count, const struct engine_options *options, struct error *error);
void driver_free(struct driver *driver);

#endif
