/* SPDX-License-Identifier: MIT */
/* The .std reader. The file is read through one sliding buffer, so memory does
 * not grow with the trace; a line is parsed where it lies, and only names are
 * copied, once each. */
#include "base/intern_ahead.h"
#include "trace/formats.h"
#include "trace/std_marks.h"
#include "trace/std_ops.h"
#include "trace/wellformed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE_LIMIT  ((size_t)1 << 16)
#define BUFFER_SIZE ((size_t)1 << 20)

/* Lines are split a few ahead of being looked up: the look-ups of one line wait
 * for memory while the next lines are split. */
#define AHEAD 16

/* A line that holds an event: the operation is known, the names not yet. */
struct split_line {
    const char *line;
    struct std_marks marks;
    uint32_t object_length; /* of the operand, without a second one */
    struct intern_key thread, object, location;
    struct event event;
    uint64_t number;
};

struct std_source {
    int file; /* -1: all bytes are in the buffer */
    char *buffer;
    const char *at, *end;
    bool at_end_of_file;
    uint64_t line; /* the one that an error speaks of */
    uint64_t lines_split;
    struct split_line ahead[AHEAD];
    size_t ahead_at, ahead_count;
    struct error late; /* of a line behind those in `ahead` */
    bool failed;
};

static int bad(const struct trace *trace, struct error *error, const char *reason)
{
    const struct std_source *source = trace->source;
    return error_set(error, ERROR_INPUT, "%s:%" PRIu64 ": %s", trace->path, source->line, reason);
}

static int bad_text(const struct trace *trace, struct error *error, const char *reason,
                    const char *text, size_t length)
{
    char line[160];
    int shown = length > 40 ? 40 : (int)length;
    snprintf(line, sizeof line, "%s '%.*s'%s", reason, shown, text, length > 40 ? "..." : "");
    return bad(trace, error, line);
}

/* Moves what is left to the front and fills up; 0 or -1. */
static int refill(struct trace *trace, struct error *error)
{
    struct std_source *source = trace->source;
    if (source->file < 0 || source->at_end_of_file)
        return 0;
    size_t left = (size_t)(source->end - source->at);
    memmove(source->buffer, source->at, left);
    source->at = source->buffer;
    while (left < BUFFER_SIZE) {
        ssize_t got = read(source->file, source->buffer + left, BUFFER_SIZE - left);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return error_set(error, ERROR_INPUT, "%s: cannot read: %s", trace->path,
                             strerror(errno));
        if (got == 0) {
            source->at_end_of_file = true;
            break;
        }
        left += (size_t)got;
    }
    source->end = source->buffer + left;
    return 0;
}

/* Finds the next line; 1, 0 at the end, -1 on an error. Also 0 if the buffer must
 * be filled, but lines that lie in it are still in use. */
static int next_line(struct trace *trace, const char **line, size_t *length, struct error *error)
{
    struct std_source *source = trace->source;
    const char *newline = memchr(source->at, '\n', (size_t)(source->end - source->at));
    if (!newline) {
        if (source->ahead_count)
            return 0;
        if (refill(trace, error))
            return -1;
        newline = memchr(source->at, '\n', (size_t)(source->end - source->at));
    }
    if (!newline && source->at == source->end)
        return 0;
    const char *end = newline ? newline : source->end;
    source->line = ++source->lines_split;
    *line = source->at;
    *length = (size_t)(end - source->at);
    source->at = newline ? newline + 1 : source->end;
    if (*length > LINE_LIMIT)
        return bad(trace, error, "the line is longer than 65536 bytes");
    while (*length && (*line)[*length - 1] == '\r')
        --*length;
    return 1;
}

/* The text between two marks of a line. */
static const char *field(const struct split_line *split, uint32_t before)
{
    return split->line + before + 1;
}

static size_t field_length(uint32_t before, uint32_t after)
{
    return after - before - 1;
}

/* Finds the marks of any line, or says what is wrong with it. */
static int find_marks(const struct trace *trace, const char *line, size_t length,
                      struct std_marks *marks, struct error *error)
{
    const char *end = line + length;
    const char *first = memchr(line, '|', length);
    if (!first)
        return bad_text(trace, error, "expected thread|op(operand)|location, found", line, length);
    const char *op = first + 1;
    const char *second = memchr(op, '|', (size_t)(end - op));
    if (!second)
        return bad_text(trace, error, "the third field, the location, is missing in", line, length);
    const char *open = memchr(op, '(', (size_t)(second - op));
    const char *close = open ? memrchr(open, ')', (size_t)(second - open)) : NULL;
    if (!close)
        return bad_text(trace, error, "expected op(operand), found", op, (size_t)(second - op));
    if (first == line)
        return bad(trace, error, "the first field, the thread, is empty");
    if (open == op)
        return bad(trace, error, "the second field has no operation");
    if (second + 1 == end)
        return bad(trace, error, "the third field, the location, is empty");
    *marks =
        (struct std_marks){(uint32_t)(first - line), (uint32_t)(open - line),
                           (uint32_t)(close - line), (uint32_t)(second - line), (uint32_t)length};
    return 0;
}

static int parse_value(const struct trace *trace, struct split_line *split, struct error *error)
{
    char digits[32];
    char *end = digits;
    const char *text = field(split, split->marks.close);
    size_t length = field_length(split->marks.close, split->marks.second_bar);
    struct event *event = &split->event;
    if (!length)
        return 0;
    if (text[0] == '=' && length > 1 && length < sizeof digits && op_in(event->op, OPS_ACCESS)) {
        memcpy(digits, text + 1, length - 1);
        digits[length - 1] = '\0';
        errno = 0;
        event->value = strtoull(digits, &end, 0);
        event->flags |= EVENT_HAS_VALUE;
        if (!errno && !*end && end != digits && digits[0] != ' ')
            return 0;
    }
    return bad_text(trace, error, "expected =value after the operand of a memory access, found",
                    text, length);
}

/* Checks the operands and finds where the first of them ends. */
static int check_operands(const struct trace *trace, struct split_line *split, struct error *error)
{
    enum object_class object = event_object_class(split->event.op);
    const char *operand = field(split, split->marks.open);
    size_t length = field_length(split->marks.open, split->marks.close);
    split->object_length = (uint32_t)length;
    if (object == CLASS_NONE && length)
        return bad_text(trace, error, "the operation takes no operand, but has", operand, length);
    if (!length && object != CLASS_NONE && object != CLASS_LABEL)
        return bad_text(trace, error, "the operand is empty after",
                        field(split, split->marks.first_bar),
                        field_length(split->marks.first_bar, split->marks.open));
    if (event_other_class(split->event.op) == CLASS_NONE)
        return 0;
    const char *comma = memrchr(operand, ',', length);
    if (!comma || comma == operand || comma + 1 == operand + length)
        return bad_text(trace, error, "expected two operands (condition,mutex), found", operand,
                        length);
    split->object_length = (uint32_t)(comma - operand);
    return 0;
}

/* Makes an event of a line whose marks are known; 1, 0 if it holds none, -1. */
static int split_event(struct trace *trace, struct split_line *split, struct error *error)
{
    const struct std_marks *marks = &split->marks;
    const char *word = field(split, marks->first_bar);
    size_t word_length = field_length(marks->first_bar, marks->open);
    split->event = (struct event){0};
    if (!std_op_parse(word, word_length, &split->event)) {
        if (word_length == 5 && memcmp(word, "dummy", 5) == 0)
            return 0;
        return bad_text(trace, error, "unknown operation", word, word_length);
    }
    if (check_operands(trace, split, error) || parse_value(trace, split, error))
        return -1;
    enum object_class object = event_object_class(split->event.op);
    intern_prepare(trace->names[CLASS_THREAD], split->line, marks->first_bar, &split->thread);
    if (object != CLASS_NONE)
        intern_prepare(trace->names[object], field(split, marks->open), split->object_length,
                       &split->object);
    intern_prepare(trace->locations, field(split, marks->second_bar),
                   field_length(marks->second_bar, marks->end), &split->location);
    return 1;
}

/* Takes the next line, if it is a short one without anything unusual. */
static bool take_short(struct std_source *source, struct split_line *split)
{
    if (source->end - source->at < MARKS_WIDTH || !std_marks_find(source->at, &split->marks))
        return false;
    split->line = source->at;
    source->at += split->marks.end + 1;
    source->line = ++source->lines_split;
    return true;
}

/* Takes any line; 1, 0 if it is empty, -1. */
static int take_any(struct trace *trace, struct split_line *split, const char *line, size_t length,
                    struct error *error)
{
    if (!length)
        return 0;
    if (memchr(line, '\0', length))
        return bad(trace, error, "the line holds a NUL byte");
    split->line = line;
    return find_marks(trace, line, length, &split->marks, error) ? -1 : 1;
}

/* Splits the next lines; an error in one of them is kept until those before it
 * are delivered. */
static void split_ahead(struct trace *trace)
{
    struct std_source *source = trace->source;
    source->ahead_at = source->ahead_count = 0;
    while (source->ahead_count < AHEAD && !source->failed) {
        struct split_line *split = &source->ahead[source->ahead_count];
        int found = 1;
        if (!take_short(source, split)) {
            const char *line;
            size_t length;
            found = next_line(trace, &line, &length, &source->late);
            if (found == 0)
                return;
            if (found > 0)
                found = take_any(trace, split, line, length, &source->late);
        }
        if (found > 0)
            found = split_event(trace, split, &source->late);
        split->number = source->line;
        source->failed = found < 0;
        source->ahead_count += found > 0;
    }
}

/* Looks the names up, in the order in which they stand in the line. */
static void resolve(struct trace *trace, const struct split_line *split, struct event *event)
{
    const struct std_marks *marks = &split->marks;
    const char *operand = field(split, marks->open);
    *event = split->event;
    event->thread = intern_prepared(trace->names[CLASS_THREAD], split->line, &split->thread);
    enum object_class object = event_object_class(event->op);
    enum object_class other = event_other_class(event->op);
    if (object != CLASS_NONE)
        event->object = intern_prepared(trace->names[object], operand, &split->object);
    if (other != CLASS_NONE)
        event->other = intern(trace->names[other], operand + split->object_length + 1,
                              field_length(marks->open + split->object_length + 1, marks->close));
    event->location =
        intern_prepared(trace->locations, field(split, marks->second_bar), &split->location);
}

static long std_next(struct trace *trace, struct event *events, size_t capacity,
                     struct error *error)
{
    struct std_source *source = trace->source;
    size_t count = 0;
    while (count < capacity) {
        if (source->ahead_at == source->ahead_count) {
            if (source->failed) {
                *error = source->late;
                return -1;
            }
            split_ahead(trace);
            if (!source->ahead_count && !source->failed)
                break;
            continue;
        }
        const struct split_line *split = &source->ahead[source->ahead_at++];
        struct event *event = &events[count];
        resolve(trace, split, event);
        switch (wellformed_check(trace->wellformed, trace, event)) {
        case WELLFORMED_KEEP:
            count++;
            break;
        case WELLFORMED_DROP:
            break;
        case WELLFORMED_BROKEN:
            source->line = split->number;
            return bad(trace, error, wellformed_reason(trace->wellformed));
        }
    }
    return (long)count;
}

static void std_close(struct trace *trace)
{
    struct std_source *source = trace->source;
    if (source->file > STDIN_FILENO)
        close(source->file);
    free(source->buffer);
    free(source);
}

static const struct trace_format std_format = {.name = "std", .next = std_next, .close = std_close};

static struct trace *open_source(const char *path, struct std_source source)
{
    struct trace *trace = trace_create(path);
    trace->source = memory_copy(&source, sizeof source);
    trace->format = &std_format;
    return trace;
}

static struct trace *std_again(const struct trace *trace, struct error *error)
{
    return std_open(trace->path, error);
}

struct trace *std_open(const char *path, struct error *error)
{
    struct stat status;
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        error_set(error, ERROR_INPUT, "%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    char *buffer = memory_zero(BUFFER_SIZE + INTERN_PADDING, 1);
    struct trace *trace = open_source(
        path, (struct std_source){.file = file, .buffer = buffer, .at = buffer, .end = buffer});
    if (file != STDIN_FILENO && fstat(file, &status) == 0 && S_ISREG(status.st_mode))
        trace->again = std_again;
    return trace;
}

struct trace *std_open_memory(const char *name, const char *bytes, size_t length)
{
    char *buffer = memory_zero(length + INTERN_PADDING, 1);
    if (length)
        memcpy(buffer, bytes, length);
    return open_source(
        name,
        (struct std_source){.file = -1, .buffer = buffer, .at = buffer, .end = buffer + length});
}
