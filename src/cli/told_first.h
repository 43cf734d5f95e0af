/* SPDX-License-Identifier: MIT */
/* What happened in a long recording, said on standard error before prediction begins: nobody has to
 * wait for it, nor loses it to a time limit. One finding a root cause; the report has the rest. */
#ifndef PREPLAY_CLI_TOLD_FIRST_H
#define PREPLAY_CLI_TOLD_FIRST_H

#include "cli/options.h"
#include "cli/reporting.h"
#include "engine/engine.h"

struct told_first {
    struct options *options;
    const struct reporting_filter *filter; /* what it leaves out, or NULL */
    struct observer observer;
};

/* From here on predictions with these options tell; `told` must outlive them. With --quiet
 * they do not. */
void told_first_begin(struct told_first *told, struct options *options,
                      const struct reporting_filter *filter);

#endif
