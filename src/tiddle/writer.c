/* SPDX-License-Identifier: MIT */
#include "tiddle/writer.h"

#include "tiddle/parser.h"
#include "tiddle/words.h"

#include <inttypes.h>
#include <string.h>

/* Bytes that a bare word may hold; see lexer.re. */
static bool is_plain(const char *text)
{
    if (!*text || *text == '@')
        return false;
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte <= ' ' || byte == 0x7f || strchr("#\"|\\", byte))
            return false;
    }
    return true;
}

static void write_name(FILE *out, const char *text)
{
    if (is_plain(text)) {
        fputs(text, out);
        return;
    }
    putc('"', out);
    for (const char *at = text; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte == '"' || byte == '\\')
            fprintf(out, "\\%c", byte);
        else if (byte == '\t')
            fputs("\\t", out);
        else if (byte < ' ' || byte == 0x7f)
            fprintf(out, "\\x%02x", byte);
        else
            putc(byte, out);
    }
    putc('"', out);
}

/* Small negative numbers are written as such, as Sadowski's Int. */
static void write_value(FILE *out, uint64_t value)
{
    if (value > UINT64_MAX - INT32_MAX)
        fprintf(out, " %" PRId64, (int64_t)value);
    else
        fprintf(out, " %" PRIu64, value);
}

void tiddle_write_operation(FILE *out, const struct trace *trace, const struct event *event)
{
    enum object_class object = event_object_class(event->op);
    enum object_class other = event_other_class(event->op);
    tiddle_word_write(out, event);
    putc(' ', out);
    write_name(out, trace_name(trace, CLASS_THREAD, event->thread));
    if (object != CLASS_NONE) {
        const char *name = trace_name(trace, object, event->object);
        if (*name) {
            putc(' ', out);
            write_name(out, name);
        }
    }
    if (other != CLASS_NONE) {
        putc(' ', out);
        write_name(out, trace_name(trace, other, event->other));
    }
    if (event->flags & EVENT_HAS_VALUE)
        write_value(out, event->value);
}

static void write_location(FILE *out, const char *location)
{
    fputs(" @", out);
    write_name(out, location);
}

void tiddle_write_event(FILE *out, const struct trace *trace, const struct event *event,
                        uint32_t line)
{
    char number[16];
    snprintf(number, sizeof number, "%u", line);
    tiddle_write_operation(out, trace, event);
    const char *location = trace_location(trace, event->location);
    if (strcmp(location, number) != 0)
        write_location(out, location);
    putc('\n', out);
}

static void write_line(FILE *out, const struct trace *trace, const struct tiddle_line *line)
{
    if (line->has_event)
        tiddle_write_operation(out, trace, &line->event);
    if (line->has_location)
        write_location(out, trace_location(trace, line->event.location));
    size_t length = line->comment_length;
    while (length && strchr(" \t", line->comment[length - 1]))
        length--;
    if (line->comment)
        fprintf(out, "%s%.*s", line->has_event ? " " : "", (int)length, line->comment);
    putc('\n', out);
}

int tiddle_format_text(FILE *out, const char *name, const char *bytes, size_t length,
                       struct error *error)
{
    struct trace *trace = trace_create(name);
    struct tiddle_parser *parser = tiddle_parser_create(trace, bytes, length);
    struct tiddle_line line;
    int found;
    while ((found = tiddle_parser_next(parser, &line, error)) > 0)
        write_line(out, trace, &line);
    tiddle_parser_destroy(parser);
    trace_close(trace);
    return found;
}
