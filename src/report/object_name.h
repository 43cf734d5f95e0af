/* SPDX-License-Identifier: MIT */
/* What a reader calls an object: its name in the source, or where its memory comes from. */
#ifndef PREPLAY_REPORT_OBJECT_NAME_H
#define PREPLAY_REPORT_OBJECT_NAME_H

#include "trace/trace.h"

/* "config.height", "log_lock"; of heap memory that has no name "block cache.c:12+8", by where it
 * was allocated and the offset. malloc-ed. */
char *object_name(const struct trace *trace, enum object_class class, uint32_t object);

#endif
