#include "engine/happened.h"

#include "base/memory.h"
#include "model/hang.h"

#include <stdio.h>
#include <stdlib.h>

/* Longer runs are not written down again as a witness: nobody reads it, and a replay that
 * orders so many steps takes longer than another try. */
enum { WITNESS_MOST = 1 << 20 };

static const char *nobody(unsigned op)
{
    return op == EVENT_WAIT_END       ? "no thread is left that could signal it"
           : op == EVENT_SEM_WAIT     ? "no thread is left that could end this wait"
           : op == EVENT_BARRIER_EXIT ? "no thread is left that could come to the barrier"
                                      : "no thread is left that could end it";
}

static const char *itself(unsigned op)
{
    return op == EVENT_JOIN        ? "the thread waits for its own end"
           : op == EVENT_ONCE_PASS ? "the thread itself is inside"
                                   : "the thread holds it itself";
}

/* One line: why nothing ends it, and how many threads hang on it. */
static char *note_of(const struct engine_run *run, const struct hang *hang,
                     const struct hang_set *set)
{
    char *note = NULL;
    size_t length;
    FILE *out = open_memstream(&note, &length);
    unsigned op = run->history->events[hang->wishes.items[set->first]].op;
    uint32_t behind = hang->stuck - set->count;
    switch (set->cause) {
    case HANG_ITSELF:
        fprintf(out, "Nothing ends it: %s", itself(op));
        break;
    case HANG_LEFT:
        fprintf(out, "Nothing ends it: thread %s has ended without giving it back",
                trace_name(run->trace, CLASS_THREAD, set->by));
        break;
    case HANG_NOBODY:
        fprintf(out, "Nothing ends it: %s; all others have ended or are blocked", nobody(op));
        break;
    case HANG_EACH_OTHER:
        fputs("Nothing ends it: each waits for another one of them", out);
        break;
    }
    if (behind)
        fprintf(out, "; %u more thread%s blocked for good", behind, behind == 1 ? " is" : "s are");
    fputs(".", out);
    fclose(out);
    return note;
}

static uint32_t *witness_of(const struct history *history, const uint32_t *wishes, uint32_t count)
{
    if (history->count > WITNESS_MOST)
        return NULL;
    uint32_t *witness = memory_alloc(history->count + count, sizeof *witness);
    for (uint32_t pos = 0; pos < history->count; pos++)
        witness[pos] = pos;
    memcpy(witness + history->count, wishes, count * sizeof *wishes);
    return witness;
}

static void report(struct engine_run *run, const struct hang *hang, const struct hang_set *set)
{
    const struct history *history = run->history;
    const uint32_t *wishes = hang->wishes.items + set->first;
    const struct event *first = &history->events[wishes[0]];
    struct finding_event *events = memory_alloc(set->count, sizeof *events);
    for (uint32_t i = 0; i < set->count; i++)
        finding_event_fill(&events[i], &history->events[wishes[i]], wishes[i],
                           history->index[wishes[i]]);
    struct finding finding = {
        .kind = FINDING_DEADLOCK,
        .model = engine_model(run),
        .verdict = VERDICT_OBSERVED,
        .engine = run->engine->name,
        .object_class = event_object_class(first->op),
        .object = first->object,
        .block = INTERN_NONE,
        .events = events,
        .event_count = set->count,
    };
    if (findings_is_new(run->findings, &finding)) {
        finding.witness = witness_of(history, wishes, set->count);
        finding.witness_length = finding.witness ? history->count + set->count : 0;
        finding.note = note_of(run, hang, set);
        findings_add(run->findings, &finding);
        free(finding.witness);
        free((char *)finding.note);
    }
    free(events);
}

void happened_find(struct engine_run *run)
{
    struct hang *hang = hang_find(run->history);
    for (size_t i = 0; hang && i < hang->sets.count; i++)
        report(run, hang, &hang->sets.items[i]);
    hang_destroy(hang);
}
