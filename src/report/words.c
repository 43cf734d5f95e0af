/* SPDX-License-Identifier: MIT */
#include "report/words.h"

#include "base/memory.h"
#include "report/frames.h"
#include "report/nature.h"
#include "report/object_name.h"
#include "report/steps.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* What is not UTF-8 is shown byte by byte, as Latin-1 would. */
json_t *words_json(const char *text)
{
    json_t *value = json_string(text);
    if (value)
        return value;
    size_t length = 0;
    char *copy = memory_alloc(2 * strlen(text) + 1, 1);
    for (const unsigned char *byte = (const unsigned char *)text; *byte; byte++) {
        if (*byte < 0x80) {
            copy[length++] = (char)*byte;
        } else {
            copy[length++] = (char)(0xc0 | *byte >> 6);
            copy[length++] = (char)(0x80 | (*byte & 0x3f));
        }
    }
    value = json_stringn(copy, length);
    free(copy);
    return value ? value : json_null();
}

json_t *words_format(const char *format, ...)
{
    char *text;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length < 0)
        return json_null();
    json_t *value = words_json(text);
    free(text);
    return value;
}

json_t *words_name(const struct trace *trace, enum object_class class, uint32_t object)
{
    char *name = demangle(trace_name(trace, class, object));
    json_t *value = words_json(name);
    free(name);
    return value;
}

char *words_object(const struct trace *trace, enum object_class class, uint32_t object)
{
    return object_name(trace, class, object);
}

static char *joined(char *first, const char *second)
{
    size_t length = strlen(first);
    first = memory_resize(first, length + strlen(second) + 1, 1);
    strcpy(first + length, second);
    return first;
}

char *words_title(const struct report *report, const struct finding *finding)
{
    const struct trace *trace = report->history->trace;
    char effect[128],
        *title = joined(memory_zero(1, 1), nature_of(report->history, report->held, finding));
    if (finding->kind == FINDING_MISUSE && finding->rule)
        title = joined(joined(joined(title, " ("), finding->rule), ")");
    if (finding_shape(finding) != FINDING_DEADLOCK && finding->object_class != CLASS_NONE) {
        char *name = words_object(trace, finding->object_class, finding->object);
        title = joined(joined(title, " on "), name);
        free(name);
    }
    if (nature_effect(finding, effect, sizeof effect))
        title = joined(joined(title, ", "), effect);
    for (uint32_t i = 0; i < finding->event_count; i++) {
        char step[512];
        const struct finding_event *event = &finding->events[i];
        step_text(step, sizeof step, trace, &report->history->events[event->pos],
                  finding_shape(finding) == FINDING_DEADLOCK);
        const char *function, *place;
        frame_own(trace, event->location, event->stack, &function, &place);
        char *name = demangle_short(function ? function : place_base(place));
        title =
            joined(joined(title, i ? ", " : ": "), trace_name(trace, CLASS_THREAD, event->thread));
        title = joined(joined(joined(title, " "), step), function ? " in " : " at ");
        title = joined(title, name);
        free(name);
    }
    return title;
}
