/* SPDX-License-Identifier: MIT */
/* Names of a trace's objects as CSPM identifiers: letters, digits and underscores,
 * all different from each other, from channels, definitions and keywords. */
#ifndef PREPLAY_CSP_CSPM_NAMES_H
#define PREPLAY_CSP_CSPM_NAMES_H

#include "base/intern.h"
#include "trace/trace.h"

struct cspm_names {
    char **names[CLASS_COUNT]; /* by class, by id */
    const struct trace *trace;
};

void cspm_names_make(struct cspm_names *names, const struct trace *trace);
void cspm_names_free(struct cspm_names *names);

static inline const char *cspm_name(const struct cspm_names *names, enum object_class class,
                                    uint32_t id)
{
    return names->names[class][id];
}

#endif
