/* SPDX-License-Identifier: MIT */
#include "trace/trace.h"

#include "base/memory.h"
#include "trace/formats.h"
#include "trace/wellformed.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct trace *trace_create(const char *path)
{
    struct trace *trace = NEW(struct trace);
    trace->path = memory_copy(path, strlen(path) + 1);
    for (int class = 0; class < CLASS_COUNT; class ++)
        trace->names[class] = interner_create();
    trace->locations = interner_create();
    trace->wellformed = wellformed_create();
    trace->batch = memory_alloc(TRACE_BATCH, sizeof *trace->batch);
    return trace;
}

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), wanted = strlen(ending);
    return length >= wanted && strcmp(text + length - wanted, ending) == 0;
}

struct trace *trace_open(const char *path, struct error *error)
{
    struct stat status;
    if (strcmp(path, "-") != 0 && stat(path, &status) != 0) {
        error_set(error, ERROR_INPUT,
                  "%s: no such trace (a preplay.data directory, a .std or a "
                  ".tiddle file)",
                  path);
        return NULL;
    }
    for (size_t i = 0; trace_formats[i]; i++) {
        const struct trace_opener *opener = trace_formats[i];
        bool directory = strcmp(path, "-") != 0 && S_ISDIR(status.st_mode);
        if (opener->directory == directory && (directory || ends_with(path, opener->suffix)))
            return opener->open(path, error);
    }
    return std_open(path, error);
}

void trace_close(struct trace *trace)
{
    if (!trace)
        return;
    if (trace->format)
        trace->format->close(trace);
    for (int class = 0; class < CLASS_COUNT; class ++)
        interner_destroy(trace->names[class]);
    interner_destroy(trace->locations);
    wellformed_destroy(trace->wellformed);
    free(trace->wishes);
    free(trace->incomplete);
    free(trace->batch);
    selection_release(trace->selection);
    array_free(&trace->gone);
    free(trace->path);
    free(trace);
}

bool trace_rewind(struct trace *trace)
{
    if (!trace->format->rewind)
        return false;
    for (int class = 0; class < CLASS_COUNT; class ++) {
        interner_destroy(trace->names[class]);
        trace->names[class] = interner_create();
    }
    wellformed_destroy(trace->wellformed);
    trace->wellformed = wellformed_create();
    free(trace->wishes);
    trace->wishes = NULL;
    trace->wish_count = 0;
    trace->delivered = trace->left_out = 0;
    trace->gone.count = 0;
    trace->format->rewind(trace);
    return true;
}

void trace_select(struct trace *trace, struct selection *selection)
{
    selection_release(trace->selection);
    trace->selection = selection;
}

long trace_next(struct trace *trace, const struct event **batch, struct error *error)
{
    trace->gone.count = 0;
    long count = trace->format->next(trace, trace->batch, TRACE_BATCH, error);
    if (count > 0)
        trace->delivered += (uint64_t)count;
    /* Positions are 32-bit everywhere behind this point. */
    if (trace->delivered >= UINT32_MAX)
        return error_set(error, ERROR_INPUT, "%s: more than %u events", trace->path, UINT32_MAX);
    *batch = trace->batch;
    return count;
}

uint32_t trace_count(const struct trace *trace, enum object_class class)
{
    if (class == CLASS_VARIABLE && trace->format && trace->format->variables)
        return trace->format->variables(trace);
    return intern_count(trace->names[class]);
}

const char *trace_name(const struct trace *trace, enum object_class class, uint32_t id)
{
    if (class == CLASS_VARIABLE && trace->format && trace->format->variable_name)
        return trace->format->variable_name(trace, id);
    return intern_text(trace->names[class], id);
}

const char *trace_location(const struct trace *trace, uint32_t location)
{
    if (trace->format && trace->format->location)
        return trace->format->location(trace, location);
    return intern_text(trace->locations, location);
}

const char *trace_stable_location(const struct trace *trace, uint32_t location)
{
    if (trace->format && trace->format->stable_location)
        return trace->format->stable_location(trace, location);
    return trace_location(trace, location);
}

const char *trace_identity(const struct trace *trace, uint32_t location)
{
    if (trace->format && trace->format->identity)
        return trace->format->identity(trace, location);
    return trace_location(trace, location);
}

const char *trace_build_directory(const struct trace *trace, uint32_t number)
{
    return trace->format && trace->format->build_directory
               ? trace->format->build_directory(trace, number)
               : NULL;
}

bool trace_vouches_for(const struct trace *trace, const uint8_t sum[MD5_BYTES])
{
    return trace->format && trace->format->vouches_for && trace->format->vouches_for(trace, sum);
}

bool trace_caller(const struct trace *trace, uint32_t stack, uint32_t *location, uint32_t *outer)
{
    return trace->format && trace->format->caller &&
           trace->format->caller(trace, stack, location, outer);
}

const char *trace_function(const struct trace *trace, uint32_t location)
{
    return trace->format && trace->format->function ? trace->format->function(trace, location)
                                                    : NULL;
}

bool trace_frame(const struct trace *trace, uint32_t location, uint32_t level,
                 const char **function, const char **place)
{
    if (trace->format && trace->format->frame)
        return trace->format->frame(trace, location, level, function, place);
    *function = trace_function(trace, location);
    *place = trace_location(trace, location);
    return level == 0;
}

bool trace_initial(const struct trace *trace, uint32_t variable, uint64_t *value)
{
    return trace->format->initial && trace->format->initial(trace, variable, value);
}

bool trace_origin(const struct trace *trace, uint32_t variable, struct trace_origin *origin)
{
    return trace->format && trace->format->origin && trace->format->origin(trace, variable, origin);
}

bool trace_code(const struct trace *trace, uint32_t location, const char **module, uint64_t *offset)
{
    return trace->format->code && trace->format->code(trace, location, module, offset);
}

bool trace_knows_code(const struct trace *trace)
{
    return trace->format && trace->format->leads;
}

bool trace_leads(const struct trace *trace, uint32_t from, uint32_t via, uint32_t to)
{
    return trace_knows_code(trace) && trace->format->leads(trace, from, via, to);
}

bool trace_carries(const struct trace *trace, struct trace_place from, struct trace_place to,
                   uint32_t common)
{
    return trace_knows_code(trace) && trace->format->carries(trace, from, to, common);
}

bool trace_decides(const struct trace *trace, struct trace_place from, struct trace_place to,
                   uint32_t common)
{
    return trace_knows_code(trace) && trace->format->decides(trace, from, to, common);
}

bool trace_tests(const struct trace *trace, struct trace_place from)
{
    return trace_knows_code(trace) && trace->format->tests(trace, from);
}

bool trace_updates(const struct trace *trace, uint32_t location)
{
    return trace_knows_code(trace) && trace->format->updates(trace, location);
}

uint32_t trace_semaphore_initial(const struct trace *trace, uint32_t semaphore)
{
    return wellformed_semaphore_initial(trace->wellformed, semaphore);
}

uint32_t trace_barrier_parties(const struct trace *trace, uint32_t instance)
{
    return wellformed_barrier_parties(trace->wellformed, instance);
}

uint32_t trace_barrier_instances(const struct trace *trace)
{
    return wellformed_barrier_instances(trace->wellformed);
}
