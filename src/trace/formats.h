/* SPDX-License-Identifier: MIT */
/* The formats trace_open() knows. A new one adds a line to formats/formats.c. */
#ifndef PREPLAY_TRACE_FORMATS_H
#define PREPLAY_TRACE_FORMATS_H

#include "trace/trace.h"

struct trace_opener {
    bool directory;     /* a directory, or else a file ... */
    const char *suffix; /* ... whose name ends like this */
    struct trace *(*open)(const char *path, struct error *error);
};

/* NULL-terminated. A file that none of them claims is read as .std. */
extern const struct trace_opener *const trace_formats[];

/* A directory that the recorder wrote. */
struct trace *binary_open(const char *path, struct error *error);
/* Has the recording in the directory the start of any thread? Without reading more than that. */
bool binary_has_threads(const char *path);
struct trace *std_open(const char *path, struct error *error);
/* A .std trace that lies in memory; the bytes must outlive the trace. */
struct trace *std_open_memory(const char *name, const char *bytes, size_t length);

#endif
