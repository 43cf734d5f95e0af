/* SPDX-License-Identifier: MIT */
/* order: reads that another schedule lets come before what they rely on, or after it is gone.
 *
 * An early read is one question to the witness search: may the read be next while of every other
 * thread the first write of the variable is barred? A late one is another: may it be next after
 * the write that ends the variable? So both are decided exactly, under any model.
 *
 * Promise: sound under rf, value and branch; exact but for what the budget left open (counted) and,
 * unless every pair is asked for, the instances tried of reads and writes alike. */
#include "atomicity/order_violations.h"

#include "atomicity/provided_for.h"
#include "base/interruption.h"
#include "base/map.h"
#include "base/sorted.h"
#include "engine/found.h"
#include "model/untimely.h"

#include <stdio.h>

enum {
    INSTANCES = 64, /* of each pair of places, unless all are asked for */
};
/* Events that the search may schedule: for one question, and for all. */
#define QUESTION_WORK UINT64_C(1000000)
#define ALL_WORK      UINT64_C(20000000)

/* The first write of a variable by a thread. */
struct first_write {
    uint32_t variable, pos;
};

struct first_writes ARRAY_OF(struct first_write);

struct barred ARRAY_OF(uint32_t);

struct finder {
    struct engine_run *run;
    const struct history *history;
    const struct ladder *ladder;
    struct search *searches[MODEL_COUNT]; /* by rung */
    uint32_t rungs;
    struct first_writes writes; /* by variable, then by position */
    struct barred barred;
    struct map tried;     /* places -> instances */
    struct map found;     /* places */
    enum verdict verdict; /* VERDICT_COUNT: what the model is worth */
};

static int compare_writes(const void *a, const void *b)
{
    const struct first_write *x = a, *y = b;
    if (x->variable != y->variable)
        return x->variable < y->variable ? -1 : 1;
    return (x->pos > y->pos) - (x->pos < y->pos);
}

static void find_first_writes(struct finder *finder)
{
    const struct history *history = finder->history;
    struct map seen = {0};
    for (uint32_t pos = 0; pos < history->count; pos++) {
        const struct event *event = &history->events[pos];
        bool first;
        if (!op_in(event->op, OPS_ACCESS) || !event_writes(event))
            continue;
        map_at(&seen, map_pair(event->thread, event->object), &first);
        struct first_write write = {event->object, pos};
        if (first)
            array_push(&finder->writes, write);
    }
    map_free(&seen);
    if (finder->writes.count)
        qsort(finder->writes.items, finder->writes.count, sizeof *finder->writes.items,
              compare_writes);
}

/* Where the variable's first writes begin. */
static size_t writes_of(const struct finder *finder, uint32_t variable)
{
    const struct first_write *items = finder->writes.items;
    return SORTED_POINT(middle, 0, finder->writes.count, items[middle].variable < variable);
}

/* For an early read: of every other thread the first write. */
static void bar_writes(struct finder *finder, uint32_t read)
{
    const struct event *event = &finder->history->events[read];
    finder->barred.count = 0;
    for (size_t i = writes_of(finder, event->object);
         i < finder->writes.count && finder->writes.items[i].variable == event->object; i++) {
        uint32_t pos = finder->writes.items[i].pos;
        if (finder->history->events[pos].thread != event->thread)
            array_push(&finder->barred, pos);
    }
}

static void begin(struct finder *finder, struct engine_run *run, const struct ladder *ladder)
{
    *finder = (struct finder){.run = run, .history = run->history, .ladder = ladder};
    /* Not under `sync` unasked: without what threads read, nearly every read could come first. */
    finder->rungs = ladder->count;
    if (ladder->count > 1 && search_index_model(ladder->rungs[ladder->count - 1]) == MODEL_SYNC)
        finder->rungs--;
    for (uint32_t i = 0; i < finder->rungs; i++)
        finder->searches[i] = search_create(ladder->rungs[i]);
    find_first_writes(finder);
}

static void end(struct finder *finder)
{
    for (uint32_t i = 0; i < finder->rungs; i++)
        search_destroy(finder->searches[i]);
    array_free(&finder->writes);
    array_free(&finder->barred);
    map_free(&finder->tried);
    map_free(&finder->found);
}

static enum search_answer ask(const struct finder *finder, uint32_t rung,
                              const struct untimely *read, struct search_witness *witness)
{
    struct search *search = finder->searches[rung];
    struct search_query query = {
        .goal = SEARCH_NEXT,
        .events = &read->read,
        .count = 1,
        .budget = finder->run->options->budget ? finder->run->options->budget : QUESTION_WORK,
    };
    if (search_steps(search) > ALL_WORK)
        return SEARCH_EXHAUSTED;
    return untimely_is_early(read) ? search_reach_barring(search, &query, finder->barred.items,
                                                          (uint32_t)finder->barred.count, witness)
                                   : search_reach_after(search, &query, &read->write, 1, witness);
}

/* What was to be, and what could have seen to it. */
static char *write_story(const struct finder *finder, const struct untimely *read)
{
    const struct trace *trace = finder->history->trace;
    const struct event *reader = &finder->history->events[read->read];
    const struct event *writer = &finder->history->events[read->write];
    const char *mine = trace_name(trace, CLASS_THREAD, reader->thread);
    const char *other = trace_name(trace, CLASS_THREAD, writer->thread);
    const char *variable = trace_name(trace, CLASS_VARIABLE, reader->object);
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (untimely_is_early(read))
        fprintf(stream,
                "Thread %s reads %s and relies on thread %s having written it, which only chance "
                "sees to: otherwise it finds the initial state. Let it wait for the write (a join, "
                "a condition that it checks), or write before the thread is started.",
                mine, variable, other);
    else
        fprintf(stream,
                "Thread %s reads %s, and only chance keeps thread %s from %s it before. Let thread "
                "%s wait until nobody needs it any more (a join, a count of its users).",
                mine, variable, other, writer->flags & EVENT_FREES ? "freeing" : "overwriting",
                other);
    fclose(stream);
    return text;
}

static void report(struct finder *finder, const struct untimely *read, enum model model,
                   const struct search_witness *witness)
{
    const uint32_t pair[2] = {read->read, read->write};
    struct finding_event events[2];
    found_events(events, finder->history, pair, 2);
    struct finding finding = found_any(finder->run, FINDING_ORDER, model, events, 2);
    if (finder->verdict != VERDICT_COUNT)
        finding.verdict = finder->verdict;
    finding.error = untimely_is_early(read) ? ATOMICITY_BEFORE : ATOMICITY_AFTER;
    finding.object_class = CLASS_VARIABLE;
    finding.object = finder->history->events[read->read].object;
    finding.witness = (uint32_t *)witness->events;
    finding.witness_length = witness->length;
    char *note = write_story(finder, read);
    finding.note = note;
    findings_add(finder->run->findings, &finding);
    free(note);
}

/* Early and late are never the same places: one write comes before the read, the other after. */
static uint64_t places_of(const struct finder *finder, const struct untimely *read)
{
    const struct event *events = finder->history->events;
    uint64_t pair = map_pair(events[read->read].location, events[read->write].location);
    return map_mix(pair * 2 + untimely_is_early(read)) >> 1;
}

static void decide(struct finder *finder, const struct untimely *read)
{
    bool open = false;
    if (untimely_is_early(read))
        bar_writes(finder, read->read);
    finder->run->candidates++;
    for (uint32_t i = 0; i < finder->rungs; i++) {
        struct search_witness witness;
        enum search_answer answer = ask(finder, i, read, &witness);
        if (answer == SEARCH_WITNESS) {
            report(finder, read, search_index_model(finder->ladder->rungs[i]), &witness);
            map_at(&finder->found, places_of(finder, read), NULL);
            return;
        }
        open |= answer != SEARCH_REFUTED;
    }
    finder->run->exhausted += open;
    finder->run->refuted += !open;
}

/* These places have their witness, or enough instances of them were tried. */
static bool is_enough(struct finder *finder, const struct untimely *read)
{
    uint64_t places = places_of(finder, read);
    if (finder->run->options->every_pair)
        return false;
    return map_find(&finder->found, places) ||
           (*map_at(&finder->tried, places, NULL))++ >= INSTANCES;
}

/* Without those that are `provided` for, if that is known. */
static void decide_all(struct engine_run *run, const struct ladder *ladder,
                       const struct provided_for *provided, enum verdict verdict)
{
    struct untimely_reads reads = {0};
    struct finder finder;
    untimely_find(&reads, run->history);
    begin(&finder, run, ladder);
    finder.verdict = verdict;
    for (size_t i = 0; i < reads.count && !interruption_asked(); i++) {
        const struct untimely *read = &reads.items[i];
        if (!(provided && provided_for_has(provided, read)) && !is_enough(&finder, read))
            decide(&finder, read);
    }
    end(&finder);
    array_free(&reads);
}

void order_violations_find(struct engine_run *run, const struct ladder *ladder)
{
    decide_all(run, ladder, NULL, VERDICT_COUNT);
}

void order_violations_suspect(struct engine_run *run, const struct ladder *ladder)
{
    struct provided_for *provided = provided_for_create(run->history, run->findings);
    decide_all(run, ladder, provided, VERDICT_CANDIDATE);
    provided_for_destroy(provided);
}

static int finish(struct engine_run *run, struct error *error)
{
    (void)error;
    struct ladder ladder;
    ladder_create(&ladder, run->history, run->options->model, run->options->jobs);
    order_violations_find(run, &ladder);
    ladder_free(&ladder);
    return 0;
}

const struct engine engine_order = {
    .name = "order",
    .summary = "reads that can come before what they rely on, or after it is gone",
    .promise = "sound; exact but for candidates whose budget ran out",
    .source = "ours; docs/engines/order.md",
    .finds = FINDS_ORDER,
    .guarantee = GUARANTEE_EXACT,
    .default_model = MODEL_RF,
    .models = 1u << MODEL_SYNC | 1u << MODEL_VALUE | 1u << MODEL_RF | 1u << MODEL_BRANCH,
    .whole_trace = true,
    .finish = finish,
};
