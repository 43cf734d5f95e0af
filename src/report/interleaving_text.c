/* SPDX-License-Identifier: MIT */
/* The witness as a numbered interleaving: a column a thread, where in the source
 * beside it. With more threads than columns fit, a line names its thread. */
#include "base/array.h"
#include "report/columns.h"
#include "report/frames.h"
#include "report/full_text.h"
#include "report/steps.h"
#include "report/thread_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_STEPS = 48,
    NUMBER_CELLS = 8, /* indentation, number, space */
    LEAST_CELLS = 14, /* a thread's column */
    PLACE_CELLS = 24,
};

struct picture {
    FILE *out;
    const struct report *report;
    const struct history *history;
    const struct finding *finding;
    const struct step *steps;
    size_t count;
    struct text_style style;
    struct threads ARRAY_OF(uint32_t) threads; /* in order of appearance */
    size_t cells;                              /* of a column; 0: no columns */
};

static size_t column_of(const struct picture *picture, uint32_t thread)
{
    size_t i = 0;
    while (i < picture->threads.count && picture->threads.items[i] != thread)
        i++;
    return i;
}

static void choose_columns(struct picture *picture)
{
    for (size_t i = 0; i < picture->count; i++) {
        if (picture->steps[i].gap)
            continue;
        uint32_t thread = picture->history->events[picture->steps[i].pos].thread;
        if (column_of(picture, thread) == picture->threads.count)
            array_push(&picture->threads, thread);
    }
    size_t room = picture->style.width - NUMBER_CELLS - PLACE_CELLS;
    size_t each = picture->threads.count ? room / picture->threads.count : 0;
    picture->cells = each < LEAST_CELLS ? 0 : each > 32 ? 32 : each;
}

static void print_head(const struct picture *picture)
{
    char text[256];
    fprintf(picture->out, "%*s%s", NUMBER_CELLS, "", text_bold(picture->style));
    for (size_t i = 0; i < picture->threads.count; i++) {
        thread_text(text, sizeof text, picture->report, picture->threads.items[i]);
        bool last = i + 1 == picture->threads.count;
        columns_print(picture->out, text, last ? columns_width(text) : picture->cells - 1);
        fputs(last ? "" : " ", picture->out);
    }
    fprintf(picture->out, "%s\n", text_normal(picture->style));
}

/* "writes 0x56043ac3aeb8" in few cells: what tells addresses apart is their end. */
static void shorten_address(char *text, size_t cells)
{
    char *address = strstr(text, " 0x");
    size_t verb = address ? (size_t)(address - text) + 1 : 0, length = strlen(text);
    if (!address || length <= cells || strpbrk(text + verb, " :") || cells < verb + 3 + 4)
        return;
    memcpy(text + verb, "...", 3);
    memmove(text + verb + 3, text + length - (cells - verb - 3), cells - verb - 3 + 1);
}

static void print_step(const struct picture *picture, const struct step *step)
{
    char text[512], thread[256], both[800];
    const struct event *event = &picture->history->events[step->pos];
    FILE *out = picture->out;
    if (step->gap) {
        fprintf(out, "%*s... %u steps ...\n", NUMBER_CELLS, "", step->count);
        return;
    }
    if (step->count > 1)
        snprintf(text, sizeof text, "%u %s", step->count, step->segment ? "events" : "accesses");
    else
        step_text(text, sizeof text, picture->history->trace, event,
                  step->error && finding_shape(picture->finding) == FINDING_DEADLOCK);
    if (picture->cells)
        shorten_address(text, picture->cells - 1);
    fprintf(out, "%6u %c", step->place + 1, step->error ? '>' : ' ');
    size_t column = column_of(picture, event->thread);
    if (!picture->cells) {
        thread_text(thread, sizeof thread, picture->report, event->thread);
        snprintf(both, sizeof both, "%-10s %s", thread, text);
    }
    fprintf(out, "%*s%s", (int)(picture->cells * column), "",
            step->error ? text_red(picture->style) : "");
    size_t rest =
        picture->cells ? picture->cells : picture->style.width - NUMBER_CELLS - PLACE_CELLS;
    size_t width = columns_width(picture->cells ? text : both);
    const char *function, *whole;
    frame_own(picture->history->trace, event->location, event->stack, &function, &whole);
    char *place = demangle_short(place_base(whole));
    bool placed = strcmp(place, "-") != 0;
    columns_print(out, picture->cells ? text : both, placed || width > rest ? rest - 1 : width);
    fputs(step->error ? text_normal(picture->style) : "", out);
    if (placed) {
        size_t behind = picture->cells ? picture->threads.count - column - 1 : 0;
        fprintf(out, "%*s %s", (int)(picture->cells * behind), "", text_dim(picture->style));
        columns_tail(out, place, PLACE_CELLS - 2);
        fputs(text_normal(picture->style), out);
    }
    free(place);
    putc('\n', out);
}

/* Both accesses of a race stand at the end: which of them is listed first says nothing. */
static bool either_may_go_first(const struct picture *picture)
{
    return finding_shape(picture->finding) == FINDING_RACE && picture->count > 1 &&
           picture->steps[picture->count - 1].error && picture->steps[picture->count - 2].error;
}

void text_interleaving(FILE *out, const struct report *report, const struct finding *finding,
                       struct text_style style)
{
    const struct history *history = report->history;
    struct picture picture = {
        .out = out, .report = report, .history = history, .finding = finding, .style = style};
    struct step *steps = steps_create(history, finding, 0, &picture.count);
    steps_collapse(history, steps, &picture.count, MOST_STEPS);
    picture.steps = steps;
    choose_columns(&picture);
    fprintf(out, "  %sA schedule that reaches it, %u events:%s\n", text_bold(style),
            finding->witness_length, text_normal(style));
    if (picture.cells)
        print_head(&picture);
    for (size_t i = 0; i < picture.count; i++)
        print_step(&picture, &steps[i]);
    if (either_may_go_first(&picture))
        fprintf(out, "%*seither may go first\n", NUMBER_CELLS, "");
    array_free(&picture.threads);
    free(steps);
}
