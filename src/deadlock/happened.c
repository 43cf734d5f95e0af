/* SPDX-License-Identifier: MIT */
/* happened: the deadlocks that a run ended in, and nothing else (happened.h).
 *
 * For engines that find no deadlocks, beside them: record --online has it beside tlh. A run that
 * went well costs it nothing. Of one that hung it needs the witness, so the whole trace; or, if
 * that is too long for a witness, only its outline.
 *
 * Guarantee: sound; the recorded run is the proof. */
#include "deadlock/happened.h"

#include "base/memory.h"
#include "engine/found.h"
#include "engine/whole.h"
#include "model/hang.h"
#include "trace/outline.h"

#include <stdio.h>
#include <stdlib.h>

/* Longer runs are not written down again as a witness: nobody reads it, and a replay that
 * orders so many steps takes longer than another try. */
enum { WITNESS_MOST = 1 << 20 };

/* How the run ended. */
struct ending {
    const struct history *history;
    const struct outline *outline; /* if `history` is only that of this */
    struct hang *hang;
};

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
static char *note_of(const struct engine_run *run, const struct ending *ending,
                     const struct hang_set *set)
{
    const struct hang *hang = ending->hang;
    char *note = NULL;
    size_t length;
    FILE *out = open_memstream(&note, &length);
    unsigned op = ending->history->events[hang->wishes.items[set->first]].op;
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

/* Its place in the whole trace. */
static void fill(struct finding_event *out, const struct engine_run *run,
                 const struct ending *ending, uint32_t wish)
{
    const struct history *history = ending->history;
    const struct event *event = &history->events[wish];
    finding_event_fill(out, event, (uint32_t)run->trace->delivered + (wish - history->count),
                       ending->outline ? ending->outline->lengths.items[event->thread]
                                       : history->index[wish]);
}

static void add_witness(struct finding *finding, const struct ending *ending)
{
    uint32_t count = ending->history->count;
    if (ending->outline || count > WITNESS_MOST)
        return;
    finding->witness_length = count + finding->event_count;
    finding->witness = memory_alloc(finding->witness_length, sizeof *finding->witness);
    for (uint32_t pos = 0; pos < count; pos++)
        finding->witness[pos] = pos;
    for (uint32_t i = 0; i < finding->event_count; i++)
        finding->witness[count + i] = finding->events[i].pos;
}

static void report(struct engine_run *run, const struct ending *ending, const struct hang_set *set)
{
    const uint32_t *wishes = ending->hang->wishes.items + set->first;
    const struct event *first = &ending->history->events[wishes[0]];
    struct finding_event *events = memory_alloc(set->count, sizeof *events);
    for (uint32_t i = 0; i < set->count; i++)
        fill(&events[i], run, ending, wishes[i]);
    struct finding finding =
        found_any(run, FINDING_DEADLOCK, engine_model(run), events, set->count);
    finding.verdict = VERDICT_OBSERVED;
    finding.object_class = event_object_class(first->op); /* the signal that never came, too */
    finding.object = first->object;
    if (findings_is_new(run->findings, &finding)) {
        add_witness(&finding, ending);
        finding.note = note_of(run, ending, set);
        findings_add(run->findings, &finding);
        free(finding.witness);
        free((char *)finding.note);
    }
    free(events);
}

static void report_all(struct engine_run *run, struct ending *ending)
{
    ending->hang = hang_find(ending->history);
    for (size_t i = 0; ending->hang && i < ending->hang->sets.count; i++)
        report(run, ending, &ending->hang->sets.items[i]);
    hang_destroy(ending->hang);
}

void happened_find(struct engine_run *run)
{
    struct ending ending = {.history = run->history};
    report_all(run, &ending);
}

/* --- the engine ------------------------------------------------------------------ */

static int find_in_outline(struct engine_run *run, struct error *error)
{
    struct outline outline;
    struct trace *trace = run->trace->again(run->trace, error);
    if (!trace)
        return -1;
    int result = outline_read(&outline, trace, error);
    if (result == 0 && trace->delivered != run->trace->delivered)
        result = whole_has_changed(run->trace, error);
    if (result == 0) {
        struct ending ending = {.history = outline.history, .outline = &outline};
        report_all(run, &ending);
    }
    outline_free(&outline);
    trace_close(trace);
    return result;
}

static int finish(struct engine_run *run, struct error *error)
{
    if (!run->trace->wish_count)
        return 0;
    if (!run->history && run->trace->delivered > WITNESS_MOST)
        return find_in_outline(run, error);
    run->history = whole_history(run->whole, error);
    if (!run->history)
        return -1;
    happened_find(run);
    return 0;
}

/* Models have no say in it. */
const struct engine engine_happened = {
    .name = "happened",
    .summary = "deadlocks that the recorded run ended in",
    .promise = "sound, observed only",
    .source = "ours; docs/engines/deadlock.md",
    .finds = FINDS_DEADLOCKS,
    .guarantee = GUARANTEE_SOUND,
    .default_model = MODEL_RF,
    .may_want_whole = true,
    .predicts_none = true,
    .finish = finish,
};
