/* The .std reader. The file is read through one sliding buffer, so memory does
 * not grow with the trace; a line is parsed where it lies, and only names are
 * copied, once each. */
#include "base/memory.h"
#include "trace/formats.h"
#include "trace/std_ops.h"
#include "trace/wellformed.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LINE_LIMIT  ((size_t)1 << 16)
#define BUFFER_SIZE ((size_t)1 << 20)

/* Lines are split a few ahead of being looked up: the look-ups of one line wait
 * for memory while the next lines are split. */
#define AHEAD 16

/* One line, split. */
struct fields {
    const char *thread, *word, *operand, *value, *location;
    size_t thread_length, word_length, operand_length, value_length, location_length;
};

/* A line that holds an event, operation and hashes known, names not yet. */
struct split_line {
    struct fields fields;
    struct event event;
    uint64_t line;
    size_t object_length; /* of the operand, without a second one */
    uint32_t object_hash, location_hash;
};

struct std_source {
    int file;     /* -1: all bytes are in memory */
    char *buffer; /* NULL: in memory */
    const char *at, *end;
    bool at_end_of_file;
    uint64_t line; /* the one that an error speaks of */
    uint64_t lines_split;
    struct split_line ahead[AHEAD];
    size_t ahead_at, ahead_count;
    struct error late; /* of a line behind those in `ahead` */
    bool failed;
    /* Most lines repeat the thread of the line before. */
    uint32_t last_thread, last_length;
    const char *last_text;
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

/* Splits `thread|op(operand)=value|location`. */
static int split_fields(const struct trace *trace, const char *line, size_t length,
                        struct fields *fields, struct error *error)
{
    const char *end = line + length;
    const char *bar = memchr(line, '|', length);
    if (!bar)
        return bad_text(trace, error, "expected thread|op(operand)|location, found", line, length);
    fields->thread = line;
    fields->thread_length = (size_t)(bar - line);
    const char *op = bar + 1;
    bar = memchr(op, '|', (size_t)(end - op));
    if (!bar)
        return bad_text(trace, error, "the third field, the location, is missing in", line, length);
    fields->location = bar + 1;
    fields->location_length = (size_t)(end - bar - 1);
    const char *open = memchr(op, '(', (size_t)(bar - op));
    const char *close = open ? memrchr(open, ')', (size_t)(bar - open)) : NULL;
    if (!close)
        return bad_text(trace, error, "expected op(operand), found", op, (size_t)(bar - op));
    fields->word = op;
    fields->word_length = (size_t)(open - op);
    fields->operand = open + 1;
    fields->operand_length = (size_t)(close - open - 1);
    fields->value = close + 1;
    fields->value_length = (size_t)(bar - close - 1);
    if (!fields->thread_length)
        return bad(trace, error, "the first field, the thread, is empty");
    if (!fields->word_length)
        return bad(trace, error, "the second field has no operation");
    if (!fields->location_length)
        return bad(trace, error, "the third field, the location, is empty");
    return 0;
}

static int parse_value(const struct trace *trace, const struct fields *fields, struct event *event,
                       struct error *error)
{
    char digits[32];
    char *end = digits;
    size_t length = fields->value_length;
    if (fields->value[0] == '=' && length > 1 && length < sizeof digits &&
        op_in(event->op, OPS_ACCESS)) {
        memcpy(digits, fields->value + 1, length - 1);
        digits[length - 1] = '\0';
        errno = 0;
        event->value = strtoull(digits, &end, 0);
        event->flags |= EVENT_HAS_VALUE;
        if (!errno && !*end && end != digits && digits[0] != ' ')
            return 0;
    }
    return bad_text(trace, error, "expected =value after the operand of a memory access, found",
                    fields->value, length);
}

static uint32_t thread_id(struct trace *trace, const struct fields *fields)
{
    struct std_source *source = trace->source;
    if (source->last_text && fields->thread_length == source->last_length &&
        memcmp(fields->thread, source->last_text, source->last_length) == 0)
        return source->last_thread;
    struct interner *threads = trace->names[CLASS_THREAD];
    uint32_t id = intern(threads, fields->thread, fields->thread_length);
    source->last_thread = id;
    source->last_text = intern_text(threads, id);
    source->last_length = (uint32_t)fields->thread_length;
    return id;
}

/* Checks the operands and finds where the first of them ends. */
static int check_operands(const struct trace *trace, struct split_line *split, struct error *error)
{
    const struct fields *fields = &split->fields;
    enum object_class object = event_object_class(split->event.op);
    const char *operand = fields->operand;
    size_t length = fields->operand_length;
    split->object_length = length;
    if (object == CLASS_NONE && length)
        return bad_text(trace, error, "the operation takes no operand, but has", operand, length);
    if (!length && object != CLASS_NONE && object != CLASS_LABEL)
        return bad_text(trace, error, "the operand is empty after", fields->word,
                        fields->word_length);
    if (event_other_class(split->event.op) == CLASS_NONE)
        return 0;
    const char *comma = memrchr(operand, ',', length);
    if (!comma || comma == operand || comma + 1 == operand + length)
        return bad_text(trace, error, "expected two operands (condition,mutex), found", operand,
                        length);
    split->object_length = (size_t)(comma - operand);
    return 0;
}

static bool is_dummy(const struct fields *fields)
{
    return fields->word_length == 5 && memcmp(fields->word, "dummy", 5) == 0;
}

/* Splits one line; 1, 0 if it holds no event, -1. */
static int split_event(struct trace *trace, const char *line, size_t length,
                       struct split_line *split, struct error *error)
{
    struct fields *fields = &split->fields;
    if (!length)
        return 0;
    if (memchr(line, '\0', length))
        return bad(trace, error, "the line holds a NUL byte");
    if (split_fields(trace, line, length, fields, error))
        return -1;
    if (is_dummy(fields))
        return 0;
    split->event = (struct event){0};
    if (!std_op_parse(fields->word, fields->word_length, &split->event))
        return bad_text(trace, error, "unknown operation", fields->word, fields->word_length);
    if (check_operands(trace, split, error))
        return -1;
    if (fields->value_length && parse_value(trace, fields, &split->event, error))
        return -1;
    struct interner *objects = trace->names[event_object_class(split->event.op)];
    split->object_hash = intern_prepare(objects, fields->operand, split->object_length);
    split->location_hash =
        intern_prepare(trace->locations, fields->location, fields->location_length);
    return 1;
}

/* Splits the next lines; an error in one of them is kept until those before it
 * are delivered. */
static void split_ahead(struct trace *trace)
{
    struct std_source *source = trace->source;
    source->ahead_at = source->ahead_count = 0;
    while (source->ahead_count < AHEAD && !source->failed) {
        const char *line;
        size_t length;
        struct split_line *split = &source->ahead[source->ahead_count];
        int found = next_line(trace, &line, &length, &source->late);
        if (found > 0)
            found = split_event(trace, line, length, split, &source->late);
        else if (found == 0)
            return;
        split->line = source->line;
        source->failed = found < 0;
        source->ahead_count += found > 0;
    }
}

/* Looks the names up, in the order in which they stand in the line. */
static void resolve(struct trace *trace, const struct split_line *split, struct event *event)
{
    const struct fields *fields = &split->fields;
    *event = split->event;
    event->thread = thread_id(trace, fields);
    enum object_class object = event_object_class(event->op);
    enum object_class other = event_other_class(event->op);
    if (object != CLASS_NONE)
        event->object = intern_prepared(trace->names[object], fields->operand, split->object_length,
                                        split->object_hash);
    if (other != CLASS_NONE)
        event->other = intern(trace->names[other], fields->operand + split->object_length + 1,
                              fields->operand_length - split->object_length - 1);
    event->location = intern_prepared(trace->locations, fields->location, fields->location_length,
                                      split->location_hash);
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
            source->line = split->line;
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

struct trace *std_open(const char *path, struct error *error)
{
    int file = strcmp(path, "-") == 0 ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        error_set(error, ERROR_INPUT, "%s: cannot open: %s", path, strerror(errno));
        return NULL;
    }
    char *buffer = memory_alloc(BUFFER_SIZE, 1);
    return open_source(
        path, (struct std_source){.file = file, .buffer = buffer, .at = buffer, .end = buffer});
}

struct trace *std_open_memory(const char *name, const char *bytes, size_t length)
{
    return open_source(name, (struct std_source){.file = -1, .at = bytes, .end = bytes + length});
}
