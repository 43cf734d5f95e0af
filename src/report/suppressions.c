/* SPDX-License-Identifier: MIT */
#include "report/suppressions.h"

#include "base/array.h"
#include "report/frames.h"
#include "trace/finding_id.h"
#include "trace/misuse_rules.h"

#include <errno.h>
#include <stdio.h>

enum { LINE_MOST = 1 << 16 };

enum where { ANYWHERE, INNERMOST, MODULE, ID };

static const struct {
    const char *word;
    unsigned kinds; /* bits 1u << FINDING_* */
    enum where where;
} words[] = {
    {"race", 1u << FINDING_RACE, ANYWHERE},
    {"race_top", 1u << FINDING_RACE, INNERMOST},
    {"deadlock", 1u << FINDING_DEADLOCK, ANYWHERE},
    {"mutex", 1u << FINDING_DEADLOCK | 1u << FINDING_MISUSE, ANYWHERE},
    {"thread", 1u << FINDING_MISUSE, ANYWHERE},
    {"atomicity", 1u << FINDING_ATOMICITY, ANYWHERE},
    {"order", 1u << FINDING_ORDER, ANYWHERE},
    {"called_from_lib", ~0u, MODULE},
    {"id", ~0u, ID},
    {"signal", 1u << FINDING_MISUSE, ANYWHERE},
};

struct suppression {
    char *line; /* "kind:pattern" */
    const char *pattern;
    size_t word;
    bool used;
};

struct suppressions {
    struct lines ARRAY_OF(struct suppression) lines;
};

/* Literal text and *; both ends are anchored. */
static bool matches(const char *pattern, size_t length, const char *name)
{
    size_t at = 0, star = SIZE_MAX;
    const char *retry = NULL;
    while (*name) {
        if (at < length && pattern[at] == '*') {
            star = at++;
            retry = name;
        } else if (at < length && pattern[at] == *name) {
            at++;
            name++;
        } else if (star != SIZE_MAX) {
            at = star + 1;
            name = ++retry;
        } else {
            return false;
        }
    }
    while (at < length && pattern[at] == '*')
        at++;
    return at == length;
}

bool suppression_pattern(const char *pattern, const char *name)
{
    size_t length = strlen(pattern);
    bool from_start = *pattern == '^';
    bool to_end = length > from_start && pattern[length - 1] == '$';
    length -= (size_t)from_start + to_end;
    char *full = memory_alloc(length + 3, 1);
    int size = sprintf(full, "%s%.*s%s", from_start ? "" : "*", (int)length, pattern + from_start,
                       to_end ? "" : "*");
    bool found = matches(full, (size_t)size, name);
    free(full);
    return found;
}

static int read_line(struct suppressions *self, char *line, const char *path, unsigned number,
                     struct error *error)
{
    line[strcspn(line, "\r\n")] = '\0';
    line += strspn(line, " \t");
    if (!*line || *line == '#')
        return 0;
    char *colon = strchr(line, ':');
    size_t word = 0, count = sizeof words / sizeof *words;
    while (colon && word < count &&
           (strlen(words[word].word) != (size_t)(colon - line) ||
            strncmp(words[word].word, line, (size_t)(colon - line)) != 0))
        word++;
    if (!colon || word == count || !colon[1])
        return error_set(error, ERROR_INPUT,
                         "%s:%u: '%s' is no suppression (race:, race_top:, deadlock:, mutex:, "
                         "thread:, signal:, atomicity:, called_from_lib:, id:)",
                         path, number, line);
    struct suppression suppression = {.line = memory_copy(line, strlen(line) + 1), .word = word};
    suppression.pattern = suppression.line + (colon - line) + 1;
    array_push(&self->lines, suppression);
    return 0;
}

struct suppressions *suppressions_known(void)
{
    /* A cache of characters: every thread writes the same (libstdc++'s bug 77704). */
    static const char *const lines[] = {
        "race_top:^std::ctype<char>::narrow(*const$", "race_top:^std::ctype<char>::widen(*const$",
        /* Its lock is given back without a release where nothing was written (GCC 12). */
        "race_top:^std::_Sp_atomic<*>::load(*const$"};
    struct suppressions *self = NEW(struct suppressions);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[128];
        struct error error = {0};
        snprintf(line, sizeof line, "%s", lines[i]);
        read_line(self, line, "known", 0, &error);
        self->lines.items[i].used = true;
    }
    return self;
}

struct suppressions *suppressions_read(const char *path, struct error *error)
{
    if (!path)
        return suppressions_known();
    FILE *file = fopen(path, "re");
    if (!file) {
        error_set(error, ERROR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
        return NULL;
    }
    struct suppressions *self = suppressions_known();
    char *line = memory_alloc(LINE_MOST, 1);
    int result = 0;
    for (unsigned number = 1; !result && fgets(line, LINE_MOST, file); number++) {
        if (strlen(line) + 1 == LINE_MOST || (!strchr(line, '\n') && !feof(file)))
            result =
                error_set(error, ERROR_INPUT, "%s:%u: not a line of text, or longer than %d bytes",
                          path, number, LINE_MOST - 2);
        else
            result = read_line(self, line, path, number, error);
    }
    if (!result && ferror(file))
        result = error_set(error, ERROR_INPUT, "%s: cannot be read: %s", path, strerror(errno));
    free(line);
    fclose(file);
    if (!result)
        return self;
    suppressions_free(self);
    return NULL;
}

void suppressions_free(struct suppressions *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->lines.count; i++)
        free(self->lines.items[i].line);
    array_free(&self->lines);
    free(self);
}

static bool module_matches(const char *pattern, const struct trace *trace, uint32_t location)
{
    const char *module;
    uint64_t offset;
    return trace_code(trace, location, &module, &offset) && suppression_pattern(pattern, module);
}

static bool frame_matches(const struct suppression *line, const char *function, const char *place)
{
    char *name = function ? demangle(function) : NULL;
    bool found = (name && suppression_pattern(line->pattern, name)) ||
                 (function && suppression_pattern(line->pattern, function));
    free(name);
    if (found)
        return true;
    size_t length;
    place_line(place, &length);
    char *path = memory_copy(place, length + 1);
    path[length] = '\0';
    found = suppression_pattern(line->pattern, path);
    free(path);
    return found;
}

static bool place_matches(const struct suppression *line, const struct trace *trace,
                          uint32_t location)
{
    const char *function, *place;
    if (module_matches(line->pattern, trace, location))
        return true;
    if (words[line->word].where == MODULE)
        return false;
    for (uint32_t i = 0; trace_frame(trace, location, i, &function, &place); i++) {
        if (frame_matches(line, function, place))
            return true;
        if (words[line->word].where == INNERMOST)
            return false;
    }
    return false;
}

static bool stack_matches(const struct suppression *line, const struct trace *trace,
                          const struct finding_event *event)
{
    uint32_t location = event->location, stack = event->stack;
    unsigned depth = 0;
    do {
        if (place_matches(line, trace, location))
            return true;
        if (words[line->word].where == INNERMOST)
            return false;
    } while (depth++ < FRAMES_MOST && trace_caller(trace, stack, &location, &stack));
    return false;
}

/* As the linker knows it, or as it is written. */
static bool object_matches(const struct suppression *line, const struct trace *trace,
                           enum object_class class, uint32_t object)
{
    const char *linked = trace_name(trace, class, object);
    char *written = demangle(linked);
    bool matches =
        suppression_pattern(line->pattern, linked) || suppression_pattern(line->pattern, written);
    free(written);
    return matches;
}

static bool name_matches(const struct suppression *line, const struct trace *trace,
                         const struct finding *finding)
{
    if (words[line->word].where == MODULE)
        return false;
    return (finding->object_class != CLASS_NONE &&
            object_matches(line, trace, finding->object_class, finding->object)) ||
           (finding->block != INTERN_NONE &&
            object_matches(line, trace, CLASS_LABEL, finding->block));
}

/* Each rule of misuse has its word: "mutex", "thread", "signal". */
static const char *suppressed_by(const struct finding *finding)
{
    const char *word = misuse_rules[misuse_find(finding->rule)].suppression;
    return word ? word : "";
}

static bool covers(const struct suppression *line, const struct trace *trace,
                   const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    if (!(words[line->word].kinds >> finding->kind & 1))
        return false;
    if (finding->kind == FINDING_MISUSE && words[line->word].kinds != ~0u &&
        strcmp(words[line->word].word, suppressed_by(finding)) != 0)
        return false;
    if (words[line->word].where == ID) {
        finding_id(finding, trace, id);
        return finding_id_means(line->pattern, id);
    }
    if (name_matches(line, trace, finding))
        return true;
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (stack_matches(line, trace, &finding->events[i]))
            return true;
    return false;
}

bool suppressions_match(struct suppressions *self, const struct trace *trace,
                        const struct finding *finding)
{
    bool any = false;
    for (size_t i = 0; i < self->lines.count; i++) {
        if (!covers(&self->lines.items[i], trace, finding))
            continue;
        self->lines.items[i].used = true;
        any = true;
    }
    return any;
}

const char *suppressions_unused(const struct suppressions *self, size_t *at)
{
    while (*at < self->lines.count) {
        const struct suppression *line = &self->lines.items[(*at)++];
        if (!line->used)
            return line->line;
    }
    return NULL;
}
