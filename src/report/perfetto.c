/* SPDX-License-Identifier: MIT */
#include "report/perfetto.h"

#include "base/memory.h"
#include "report/frames.h"
#include "report/steps.h"
#include "report/thread_text.h"
#include "report/words.h"
#include "trace/finding_id.h"
#include "trace/turns.h"

#include <jansson.h>
#include <stdlib.h>

enum {
    RUN = 1,        /* process: the recorded run, a track a thread */
    LOCKS = 2,      /* process: a track a lock */
    SCHEDULES = 10, /* the first process of the findings */
    MOST_SCHEDULES = 50,
};

struct tracks {
    FILE *out;
    const struct report *report;
    bool any;
};

static void put(struct tracks *self, json_t *object)
{
    fputs(self->any ? ",\n" : "\n", self->out);
    json_dumpf(object, self->out, JSON_COMPACT);
    json_decref(object);
    self->any = true;
}

/* "process_name" or "thread_name" */
static void put_name(struct tracks *self, const char *what, uint32_t process, uint32_t track,
                     json_t *name)
{
    put(self, json_pack("{s:s, s:s, s:I, s:I, s:{s:o}}", "ph", "M", "name", what, "pid",
                        (json_int_t)process, "tid", (json_int_t)track, "args", "name", name));
}

static void put_slice(struct tracks *self, uint32_t process, uint32_t track, uint64_t from,
                      double length, json_t *name, const struct event *event)
{
    const char *function, *place;
    frame_own(self->report->trace, event->location, event->stack, &function, &place);
    put(self, json_pack("{s:s, s:o, s:I, s:I, s:I, s:f, s:{s:o}}", "ph", "X", "name", name, "pid",
                        (json_int_t)process, "tid", (json_int_t)track, "ts", (json_int_t)from,
                        "dur", length, "args", "place", words_json(place)));
}

static json_t *step_words(const struct tracks *self, const struct event *event, bool blocks)
{
    char text[512];
    step_text(text, sizeof text, self->report->trace, event, blocks);
    return words_json(text);
}

static json_t *thread_words(const struct tracks *self, uint32_t thread)
{
    char text[256];
    thread_text(text, sizeof text, self->report, thread);
    return words_json(text);
}

static void name_threads(struct tracks *self, uint32_t process)
{
    for (uint32_t i = 0; i < self->report->history->threads; i++)
        put_name(self, "thread_name", process, i + 1, thread_words(self, i));
}

/* --- the recorded run ---------------------------------------------------------------- */

/* Since when each thread waits for a condition or in a barrier; POS_NONE if it does not. */
static void put_event(struct tracks *self, uint32_t *waiting, uint32_t pos)
{
    const struct event *event = &self->report->history->events[pos];
    uint32_t *since = &waiting[event->thread];
    if (event->op == EVENT_WAIT_BEGIN || event->op == EVENT_BARRIER_ENTER) {
        *since = pos;
    } else if (*since != POS_NONE) {
        const struct event *begun = &self->report->history->events[*since];
        put_slice(self, RUN, event->thread + 1, *since, pos - *since, step_words(self, begun, true),
                  begun);
        *since = POS_NONE;
    }
    if (*since == POS_NONE)
        put_slice(self, RUN, event->thread + 1, pos, 0.9, step_words(self, event, false), event);
}

static void put_run(struct tracks *self)
{
    const struct history *history = self->report->history;
    uint32_t *waiting = memory_alloc(history->threads, sizeof *waiting);
    put_name(self, "process_name", RUN, 0, json_string("recorded run (1 us: one event)"));
    name_threads(self, RUN);
    for (uint32_t i = 0; i < history->threads; i++)
        waiting[i] = POS_NONE;
    for (uint32_t pos = 0; pos < history->count; pos++)
        put_event(self, waiting, pos);
    free(waiting);
}

/* Who holds a lock alone: a slice of its track. Readers may hold it together, which a track cannot
 * show. */
static void put_locks(struct tracks *self)
{
    const struct history *history = self->report->history;
    uint32_t count = trace_count(self->report->trace, CLASS_LOCK);
    uint32_t *since = memory_alloc(count + 1, sizeof *since);
    put_name(self, "process_name", LOCKS, 0, json_string("locks: who holds them"));
    for (uint32_t i = 0; i < count; i++) {
        char *name = words_object(self->report->trace, CLASS_LOCK, i);
        put_name(self, "thread_name", LOCKS, i + 1, words_json(name));
        free(name);
        since[i] = POS_NONE;
    }
    for (uint32_t i = 0; i < history->sync_count; i++) {
        uint32_t pos = history->syncs[i];
        const struct event *event = &history->events[pos];
        uint32_t lock = event_acquires(event) || event_releases(event) ? event_lock(event) : count;
        if (lock >= count)
            continue;
        if (since[lock] != POS_NONE && event_releases(event)) {
            const struct event *taken = &history->events[since[lock]];
            put_slice(self, LOCKS, lock + 1, since[lock], pos - since[lock],
                      thread_words(self, taken->thread), taken);
            since[lock] = POS_NONE;
        } else if (event_acquires(event) && event->op != EVENT_ACQUIRE_READ) {
            since[lock] = pos;
        }
    }
    free(since);
}

/* --- the findings --------------------------------------------------------------------- */

static bool is_error(const struct finding *finding, uint32_t pos)
{
    uint32_t i = 0;
    while (i < finding->event_count && finding->events[i].pos != pos)
        i++;
    return i < finding->event_count;
}

static void put_schedule(struct tracks *self, const struct finding *finding, uint32_t process)
{
    struct finding full = finding_in_full(finding, self->report->history);
    char id[FINDING_ID_SIZE], *title = words_title(self->report, finding);
    finding_id(finding, self->report->trace, id);
    put_name(self, "process_name", process, 0, words_format("%s: %s", id, title));
    name_threads(self, process);
    for (uint32_t i = 0; i < full.witness_length; i++) {
        const struct event *event = &self->report->history->events[full.witness[i]];
        bool error = is_error(finding, full.witness[i]);
        json_t *name = step_words(self, event, error && finding_shape(finding) == FINDING_DEADLOCK);
        if (error) {
            json_t *marked = words_format("! %s", json_string_value(name));
            json_decref(name);
            name = marked;
        }
        put_slice(self, process, event->thread + 1, i, 0.9, name, event);
    }
    for (uint32_t i = 0; i < finding->event_count; i++) /* where it lies in the recorded run */
        put(self, json_pack("{s:s, s:s, s:s, s:i, s:I, s:I}", "ph", "i", "s", "t", "name", id,
                            "pid", RUN, "tid", (json_int_t)finding->events[i].thread + 1, "ts",
                            (json_int_t)finding->events[i].pos));
    finding_full_free(&full, finding);
    free(title);
}

void report_perfetto(FILE *out, const struct report *report)
{
    struct tracks tracks = {.out = out, .report = report};
    uint32_t shown = 0;
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", out);
    put_run(&tracks);
    put_locks(&tracks);
    for (size_t i = 0; i < report->count && shown < MOST_SCHEDULES; i++)
        if (report_leads(report, report->items[i]) && report->items[i]->witness)
            put_schedule(&tracks, report->items[i], SCHEDULES + shown++);
    fputs("\n]}\n", out);
}
