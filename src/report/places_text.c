/* SPDX-License-Identifier: MIT */
/* The other places of a root cause, a line each, below the finding that stands for them. */
#include "report/columns.h"
#include "report/frames.h"
#include "report/full_text.h"
#include "report/steps.h"
#include "trace/finding_id.h"

#include <stdlib.h>

enum { MOST_PLACES = 5 };

/* "writes at a.c:12:3 in set, reads at b.c:7:5 in get" */
static void print_line(FILE *out, const struct report *report, const struct finding *finding,
                       size_t width)
{
    char *text, id[FINDING_ID_SIZE];
    size_t length;
    FILE *line = open_memstream(&text, &length);
    finding_id(finding, report->trace, id);
    fprintf(line, "%s ", id);
    for (uint32_t i = 0; i < finding->event_count; i++) {
        const char *function, *place;
        const struct finding_event *event = &finding->events[i];
        frame_own(report->trace, event->location, event->stack, &function, &place);
        char *name = function ? demangle(function) : NULL;
        fprintf(line, "%s%s at %s%s%s", i ? ", " : "", step_verb(event->op), place_base(place),
                name ? " in " : "", name ? name : "");
        free(name);
    }
    fclose(line);
    fputs("    ", out);
    columns_print(out, text, columns_width(text) < width - 4 ? columns_width(text) : width - 4);
    putc('\n', out);
    free(text);
}

void text_other_places(FILE *out, const struct report *report, size_t first, size_t end,
                       struct text_style style)
{
    size_t most = report->most ? MOST_PLACES : SIZE_MAX;
    if (first == end)
        return;
    fprintf(out, "\n  %sThe same cause shows in %zu more place%s:%s\n", text_bold(style),
            end - first, end - first == 1 ? "" : "s", text_normal(style));
    for (size_t i = first; i < end && i - first < most; i++)
        print_line(out, report, report->items[i], style.width);
    if (end - first > most)
        fprintf(out, "    ... and %zu more (--max-findings 0 lists all)\n", end - first - most);
}
