/* SPDX-License-Identifier: MIT */
#include "report/text.h"

#include "report/columns.h"
#include "report/frames.h"
#include "report/json.h"
#include "report/nature.h"
#include "report/object_name.h"
#include "trace/finding_id.h"

#include <stdlib.h>

void report_safe_text(FILE *out, const char *text)
{
    columns_text(out, text);
}

void report_name(FILE *out, const struct trace *trace, enum object_class class, uint32_t object)
{
    char *name = object_name(trace, class, object);
    report_safe_text(out, name);
    free(name);
}

static void print_event(FILE *out, const struct trace *trace, const struct finding *finding,
                        uint32_t i)
{
    const struct finding_event *event = &finding->events[i];
    fputs("    ", out);
    const char *role = nature_role(finding, i);
    if (*role)
        fprintf(out, "%-10s  ", role);
    fputs("thread ", out);
    report_safe_text(out, trace_name(trace, CLASS_THREAD, event->thread));
    fprintf(out, "  %s  at ", report_op_text(event->op));
    report_safe_text(out, trace_location(trace, event->location));
    fprintf(out, "  (event %u)\n", event->pos);
}

void report_finding(FILE *out, const struct trace *trace, const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    finding_id(finding, trace, id);
    fprintf(out, "%s %s", finding_kind_text(finding->kind), id);
    if (finding->object_class != CLASS_NONE) {
        fputs(" on ", out);
        report_name(out, trace, finding->object_class, finding->object);
    }
    if (finding->block != INTERN_NONE) {
        fputs(" in block ", out);
        report_name(out, trace, CLASS_LABEL, finding->block);
    }
    if (finding->error != ATOMICITY_NONE)
        fprintf(out, ", %s-error", atomicity_error_text(finding->error));
    fprintf(out, ": %s by %s", verdict_text(finding->verdict), finding->engine);
    if (finding->model != MODEL_NONE)
        fprintf(out, " (%s)", model_text(finding->model));
    putc('\n', out);
    for (uint32_t i = 0; i < finding->event_count; i++)
        print_event(out, trace, finding, i);
    if (finding->note) {
        char *note = demangle_all(finding->note);
        fputs("    ", out);
        report_safe_text(out, note);
        putc('\n', out);
        free(note);
    }
    if (finding->in_turns) {
        fprintf(out, "    witness: %u turns\n", finding->witness_length);
    } else if (finding->witness && finding->witness_length <= 64) {
        fputs("    witness:", out);
        for (uint32_t i = 0; i < finding->witness_length; i++)
            fprintf(out, " %u", finding->witness[i]);
        putc('\n', out);
    } else if (finding->witness) {
        fprintf(out, "    witness: %u events\n", finding->witness_length);
    }
}
