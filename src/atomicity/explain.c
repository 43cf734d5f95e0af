/* SPDX-License-Identifier: MIT */
#include "atomicity/explain.h"

#include "base/memory.h"
#include "engine/found.h"

#include <stdio.h>
#include <stdlib.h>

/* "blame a/b: 3 (T1) -> 4 (T2) on l, 5 (T2) -> 6 (T1) on l" */
static void write_note(const struct engine_run *run, const struct cycle *cycle, FILE *out)
{
    const struct trace *trace = run->trace;
    for (uint32_t i = 0; i < cycle->count; i++) {
        const struct cycle_step *step = &cycle->steps[i];
        fprintf(out, "%s%s (%s) -> %s (%s)", i ? ", " : ": ",
                trace_location(trace, step->source.location),
                trace_name(trace, CLASS_THREAD, step->source.thread),
                trace_location(trace, step->target.location),
                trace_name(trace, CLASS_THREAD, step->target.thread));
        if (step->object_class == CLASS_THREAD)
            fputs(" by fork or join", out);
        else if (step->object_class == CLASS_BARRIER)
            fputs(" at a barrier", out);
        else
            fprintf(out, " on %s", trace_name(trace, step->object_class, step->object));
    }
}

void explain_cycle(struct engine_run *run, struct blame *blame, const struct cycle *cycle)
{
    const struct cycle_step *out = &cycle->steps[0], *back = &cycle->steps[cycle->count - 1];
    if (!cycle->label_count)
        return;
    struct finding_event events[3];
    access_fill(&events[0], &out->source);
    access_fill(&events[1], &back->target);
    access_fill(&events[2], &out->target);
    struct finding finding = found_any(run, FINDING_ATOMICITY, MODEL_NONE, events, 3);
    finding.verdict = VERDICT_OBSERVED;
    finding.error = ATOMICITY_IN;
    finding.object_class = out->object_class == CLASS_BARRIER ? CLASS_NONE : out->object_class;
    finding.object = out->object;
    finding.block = cycle->labels[cycle->label_count - 1];
    if (blame_is_new(blame, &finding)) {
        char *note = NULL;
        size_t length;
        FILE *stream = open_memstream(&note, &length);
        write_note(run, cycle, stream);
        fclose(stream);
        finding.note = note;
        blame_add(blame, &finding, cycle->labels, cycle->label_count);
        free(note);
    }
}
