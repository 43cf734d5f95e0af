/* SPDX-License-Identifier: MIT */
#include "tiddle/reader.h"

#include "base/array.h"
#include "tiddle/code.h"
#include "tiddle/parser.h"
#include "trace/wellformed.h"

#include <errno.h>
#include <stdio.h>

#define READ_SIZE ((size_t)1 << 16)

struct tiddle_source {
    char *bytes;
    struct tiddle_parser *parser;
};

struct bytes ARRAY_OF(char);

char *tiddle_read_file(const char *path, size_t *length, struct error *error)
{
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "rbe");
    if (!file) {
        error_set(error, ERROR_INPUT, "%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    struct bytes bytes = {0};
    size_t got;
    do {
        array_reserve(&bytes, bytes.count + READ_SIZE + 1);
        got = fread(bytes.items + bytes.count, 1, READ_SIZE, file);
        bytes.count += got;
    } while (got);
    bool failed = ferror(file);
    if (failed)
        error_set(error, ERROR_INPUT, "%s: cannot read: %s", path, strerror(errno));
    if (file != stdin)
        fclose(file);
    if (failed) {
        array_free(&bytes);
        return NULL;
    }
    bytes.items[bytes.count] = '\0';
    *length = bytes.count;
    return bytes.items;
}

static long tiddle_next(struct trace *trace, struct event *events, size_t capacity,
                        struct error *error)
{
    struct tiddle_source *source = trace->source;
    size_t count = 0;
    while (count < capacity) {
        struct tiddle_line line;
        int found = tiddle_parser_next(source->parser, &line, error);
        if (found < 0)
            return -1;
        if (!found)
            break;
        if (!line.has_event)
            continue;
        events[count] = line.event;
        switch (wellformed_check(trace->wellformed, trace, &events[count])) {
        case WELLFORMED_KEEP:
            count++;
            break;
        case WELLFORMED_DROP:
            break;
        case WELLFORMED_BROKEN:
            return error_set(error, ERROR_INPUT, "%s:%u:%u: %s", trace->path, line.number,
                             line.column, wellformed_reason(trace->wellformed));
        }
    }
    return (long)count;
}

static void tiddle_close(struct trace *trace)
{
    struct tiddle_source *source = trace->source;
    tiddle_parser_destroy(source->parser);
    free(source->bytes);
    free(source);
}

static const struct trace_format tiddle_format = {
    .name = "tiddle", .next = tiddle_next, .close = tiddle_close};

/* Takes over `bytes`. */
static struct trace *open_bytes(const char *name, char *bytes, size_t length)
{
    struct trace *trace = trace_create(name);
    struct tiddle_source *source = NEW(struct tiddle_source);
    source->bytes = bytes;
    source->parser = tiddle_parser_create(trace, bytes, length);
    trace->source = source;
    trace->format = &tiddle_format;
    return trace;
}

struct trace *tiddle_open(const char *path, struct error *error)
{
    size_t length;
    char *bytes = tiddle_read_file(path, &length, error);
    if (!bytes || !code_is_program(bytes))
        return bytes ? open_bytes(path, bytes, length) : NULL;
    free(bytes);
    error_set(error, ERROR_INPUT,
              "%s: this is a program, not a trace: preplay tiddle makes C of it", path);
    return NULL;
}

struct trace *tiddle_open_memory(const char *name, const char *bytes, size_t length)
{
    char *copy = memory_alloc(length + 1, 1);
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    return open_bytes(name, copy, length);
}

const struct trace_opener tiddle_opener = {false, ".tiddle", tiddle_open};
