/* SPDX-License-Identifier: MIT */
#include "report/columns.h"
#include "report/frames.h"
#include "report/full_text.h"
#include "report/steps.h"
#include "report/thread_text.h"

#include <stdlib.h>
#include <string.h>

/* Frames a line, as struct consequence_order has them. */
static void print_frames(FILE *out, const char *stack)
{
    for (unsigned number = 0; *stack; stack += strcspn(stack, "\n") + (*stack != 0)) {
        size_t function = strcspn(stack, "\t\n"), line = strcspn(stack, "\n");
        char *name = strndup(stack, function);
        char *place = function < line ? strndup(stack + function + 1, line - function - 1) : NULL;
        char *readable = name ? demangle(name) : NULL;
        bool next = name && strcmp(name, "--") == 0;
        if (next)
            number = 0;
        else
            fprintf(out, "    #%u ", number++);
        columns_text(out, next ? "    another thread:" : readable ? readable : "?");
        if (!next && place) {
            putc(' ', out);
            columns_text(out, place);
        }
        putc('\n', out);
        free(readable);
        free(name);
        free(place);
    }
}

static void print_order(FILE *out, const struct report *report, const struct finding *finding,
                        const struct consequence_order *order, struct text_style style)
{
    fputs("  ", out);
    if (order->first < finding->event_count) {
        const struct finding_event *event = &finding->events[order->first];
        fputs("If thread ", out);
        char thread[256];
        thread_text(thread, sizeof thread, report, event->thread);
        columns_text(out, thread);
        fprintf(out, " %s first: ", event->flags & EVENT_FREES ? "frees" : step_verb(event->op));
    } else {
        fputs("What the program does then: ", out);
    }
    fputs(order->rule ? text_red(style) : "", out);
    columns_text(out, order->text);
    fputs(order->rule ? text_normal(style) : ", as the recorded run", out);
    if (order->values) {
        fputs(" (", out);
        columns_text(out, order->values);
        putc(')', out);
    }
    fputs(".\n", out);
    if (order->stack)
        print_frames(out, order->stack);
}

void text_consequence(FILE *out, const struct report *report, const struct finding *finding,
                      struct text_style style)
{
    const struct consequence *consequence = &finding->consequence;
    if (consequence->count == 2 && !consequence_failure(consequence))
        fputs("  Both orders end alike: the output and the exit code are the same.\n", out);
    for (int failing = 1; failing >= 0; failing--)
        for (uint32_t i = 0; i < consequence->count; i++)
            if ((consequence->orders[i].rule != NULL) == failing)
                print_order(out, report, finding, &consequence->orders[i], style);
}
