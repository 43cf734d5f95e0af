/* SPDX-License-Identifier: MIT */
#include "report/object_name.h"

#include "report/frames.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Its address differs from run to run, and tells nobody anything. */
static char *block_name(const struct trace *trace, uint32_t variable)
{
    struct trace_origin origin;
    if (!trace_origin(trace, variable, &origin) || origin.kind != ORIGIN_HEAP)
        return NULL;
    const char *function, *place;
    size_t path;
    frame_own(trace, origin.location, origin.stack, &function, &place);
    if (!place_line(place, &path))
        return NULL;
    const char *base = place_base(place);
    const char *column = strchr(base + (place + path > base ? place + path - base : 0) + 1, ':');
    int shown = column ? (int)(column - base) : (int)strlen(base);
    char *name;
    int length = origin.offset
                     ? asprintf(&name, "block %.*s byte %" PRIu64, shown, base, origin.offset)
                     : asprintf(&name, "block %.*s", shown, base);
    return length < 0 ? NULL : name;
}

char *object_name(const struct trace *trace, enum object_class class, uint32_t object)
{
    const char *name = trace_name(trace, class, object);
    char *block = NULL;
    if (class == CLASS_VARIABLE && strncmp(name, "0x", 2) == 0)
        block = block_name(trace, object);
    return block ? block : demangle_short(name);
}
