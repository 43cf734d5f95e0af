/* SPDX-License-Identifier: MIT */
/* Call stacks with names a reader knows: functions demangled, places in the source. */
#ifndef PREPLAY_REPORT_FRAMES_H
#define PREPLAY_REPORT_FRAMES_H

#include "trace/trace.h"

enum { FRAMES_MOST = 64 };

struct frame {
    char *function;    /* malloc-ed; NULL if it is not known */
    const char *place; /* "path:line:column"; the trace's own */
    bool library;      /* a header of the system's, or code without lines behind one */
};

/* Innermost first, from where `location` is; at most FRAMES_MOST. frames_free() after. */
size_t frames_collect(struct frame frames[FRAMES_MOST], const struct trace *trace,
                      uint32_t location, uint32_t stack);
void frames_free(struct frame *frames, size_t count);

/* The frame whose source a reader wants to see: the innermost of the program's own, or else the
 * innermost. */
size_t frames_own(const struct frame *frames, size_t count);
/* The same alone: its function (or NULL) and place. */
void frame_own(const struct trace *trace, uint32_t location, uint32_t stack, const char **function,
               const char **place);

/* A C++ name as it is written in the source, malloc-ed; a copy of any other name. */
char *demangle(const char *name);
/* The same, as short as people say it (short_name.h). */
char *demangle_short(const char *name);
/* The same for every C++ name inside a sentence. */
char *demangle_all(const char *text);

/* The line of "path:line[:column]" and where the path ends; 0 if there is none. */
unsigned place_line(const char *place, size_t *path_length);
/* Its column; 0: it has none. */
unsigned place_column(const char *place);
/* The part of it behind the last slash. */
const char *place_base(const char *place);

#endif
