/* SPDX-License-Identifier: MIT */
#include "report/html.h"

#include "report/advice.h"
#include "report/frames.h"
#include "report/html_overview.h"
#include "report/html_page.h"
#include "report/html_plain.h"
#include "report/nature.h"
#include "report/source.h"
#include "report/words.h"
#include "report/short_name.h"
#include "report/thread_text.h"
#include "trace/misuse_rules.h"
#include "trace/turns.h"
#include "trace/finding_id.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEPS_TOTAL = 100000, /* of all findings */
    STEPS_LEAST = 80,
    STEPS_MOST = 600,
    SNIPPET_LINES = 3, /* above and below a place */
};

json_int_t page_text(struct page *page, const char *text)
{
    return intern(page->texts, text, strlen(text));
}

static json_t *stack_json(struct page *page, uint32_t location, uint32_t stack)
{
    struct frame frames[FRAMES_MOST];
    json_t *list = json_array();
    size_t count = frames_collect(frames, page->trace, location, stack);
    for (size_t i = 0; i < count; i++) {
        if (i && frames[i].library) /* long names that say nothing */
            continue;
        char *place = demangle_short(frames[i].place);
        char *function = frames[i].function ? short_name(frames[i].function) : NULL;
        json_array_append_new(list, json_pack("[I, I]", function ? page_text(page, function) : -1,
                                              page_text(page, place)));
        free(function);
        free(place);
    }
    frames_free(frames, count);
    return list;
}

static json_t *thread_json(const struct page *page, uint32_t thread)
{
    char text[256];
    thread_text(text, sizeof text, page->report, thread);
    return words_json(text);
}

static json_t *locks_json(struct page *page, uint32_t pos)
{
    const struct held_lock *locks;
    size_t count = held_at(page->held, pos, &locks);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++) {
        char *name = words_object(page->trace, CLASS_LOCK, locks[i].lock);
        const struct event *since = &page->report->history->events[locks[i].since];
        char text[600];
        snprintf(text, sizeof text, "%s%s", name,
                 since->op == EVENT_ACQUIRE_READ ? " for reading" : "");
        json_array_append_new(
            list, json_pack("[I, I]", page_text(page, text),
                            page_text(page, trace_location(page->trace, since->location))));
        free(name);
    }
    return list;
}

static json_t *events_json(struct page *page, const struct finding *finding)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < finding->event_count; i++) {
        char text[512];
        const struct finding_event *event = &finding->events[i];
        step_text(text, sizeof text, page->trace, &page->report->history->events[event->pos],
                  finding_shape(finding) == FINDING_DEADLOCK);
        const struct event *full = &page->report->history->events[event->pos];
        enum object_class class = event_object_class(event->op);
        char *object =
            class == CLASS_NONE ? strdup("") : words_object(page->trace, class, full->object);
        json_array_append_new(list, json_pack("{s:o, s:o, s:o, s:i, s:o, s:o}", "object",
                                              words_json(object), "thread",
                                              thread_json(page, event->thread), "text",
                                              words_json(text), "size", event->size, "stack",
                                              stack_json(page, event->location, event->stack),
                                              "locks", locks_json(page, event->pos)));
        free(object);
    }
    return list;
}

/* Who made the memory and the threads: a list of [text, stack]. */
static json_t *background_json(struct page *page, const struct finding *finding)
{
    const struct history *history = page->report->history;
    struct trace_origin origin;
    char thread[256], other[256];
    json_t *list = json_array();
    if (finding->object_class == CLASS_VARIABLE &&
        trace_origin(page->trace, finding->object, &origin)) {
        thread_text(thread, sizeof thread, page->report, origin.thread);
        bool heap = origin.kind == ORIGIN_HEAP;
        json_t *text = heap ? words_format("offset %" PRIu64 " of a heap block of %" PRIu64
                                           " bytes, allocated by %s",
                                           origin.offset, origin.size, thread)
                            : words_format("on the stack of %s", thread);
        json_array_append_new(
            list, json_pack("[o, o]", text,
                            heap ? stack_json(page, origin.location, origin.stack) : json_array()));
    }
    for (uint32_t i = 0; i < finding->event_count; i++) {
        uint32_t fork = history->fork_of[finding->events[i].thread];
        bool again = false;
        for (uint32_t k = 0; k < i; k++)
            again |= finding->events[k].thread == finding->events[i].thread;
        if (fork == POS_NONE || again)
            continue;
        const struct event *event = &history->events[fork];
        thread_text(thread, sizeof thread, page->report, finding->events[i].thread);
        thread_text(other, sizeof other, page->report, event->thread);
        json_array_append_new(list, json_pack("[o, o]",
                                              words_format("%s was created by %s", thread, other),
                                              stack_json(page, event->location, event->stack)));
    }
    return list;
}

/* With the whole path: the page is read elsewhere than where it was made. */
static json_t *command_json(const struct report *report, const char *id)
{
    char path[PATH_MAX];
    return words_format("%s replay %s %s", report->tool ? report->tool : "preplay",
                        realpath(report->path, path) ? path : report->path, id);
}

/* "destroy of held lock" for "DestroyOfHeldLock". */
static json_t *spaced_json(const char *title)
{
    char text[64];
    size_t length = 0;
    for (const char *at = title; *at && length + 3 < sizeof text; at++) {
        if (at > title && isupper((unsigned char)*at))
            text[length++] = ' ';
        text[length++] = (char)tolower((unsigned char)*at);
    }
    text[length] = '\0';
    return words_json(text);
}

/* What it is and does, and what would end it. */
static void add_effect(const struct page *page, const struct finding *finding, json_t *object)
{
    char effect[128], *advice = advice_for(page->report->advice, page->report->history,
                                           page->report->held, finding);
    const char *nature = nature_of(page->report->history, page->report->held, finding);
    const struct misuse_rule *misuse =
        finding->kind == FINDING_MISUSE ? &misuse_rules[misuse_find(finding->rule)] : NULL;
    json_object_set_new(object, "nature",
                        misuse && misuse->title ? spaced_json(misuse->title) : json_string(nature));
    if (misuse && misuse->text)
        json_object_set_new(object, "meaning",
                            words_format("%s: %s. %s", finding->rule, misuse->text, misuse->help));
    if (nature_effect(finding, effect, sizeof effect))
        json_object_set_new(object, "effect", words_json(effect));
    if (finding_shape(finding) != FINDING_DEADLOCK && finding->object_class != CLASS_NONE) {
        char *name = words_object(page->trace, finding->object_class, finding->object);
        json_object_set_new(object, "object", words_json(name));
        free(name);
    }
    if (finding->consequence.count)
        json_object_set_new(object, "consequence", report_consequence_json(&finding->consequence));
    if (advice)
        json_object_set_new(object, "advice", words_json(advice));
    free(advice);
}

static json_t *finding_json(struct page *page, const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    finding_id(finding, page->trace, id);
    char *title = words_title(page->report, finding);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o}", "id", id, "kind",
                  finding_kind_text(finding->kind), "verdict", verdict_text(finding->verdict),
                  "model", model_text(finding->model), "title", words_json(title), "events",
                  events_json(page, finding), "background", background_json(page, finding));
    struct finding full = finding_in_full(finding, page->report->history);
    page_steps(page, &full, object);
    json_object_set_new(object, "length", json_integer(full.witness_length));
    finding_full_free(&full, finding);
    if (!report_leads(page->report, finding)) {
        finding_id(groups_leader(page->report->groups, finding), page->trace, id);
        json_object_set_new(object, "group", json_string(id));
        finding_id(finding, page->trace, id);
    }
    add_effect(page, finding, object);
    if (page->report->explored)
        json_object_set_new(object, "run", json_integer(page->report->explored));
    if (finding->replay)
        json_object_set_new(object, "replay", words_json(finding->replay));
    if (finding->note) {
        char *note = demangle_all(finding->note);
        json_object_set_new(object, "note", words_json(note));
        free(note);
    }
    if (finding->witness && page->trace->format->code)
        json_object_set_new(object, "command", command_json(page->report, id));
    free(title);
    return object;
}

/* Source around every place that is named: {text id: [first line, [lines]]}. */
static json_t *snippets_json(struct page *page)
{
    json_t *object = json_object();
    for (uint32_t i = 0; i < intern_count(page->texts); i++) {
        const char *place = intern_text(page->texts, i);
        size_t length;
        unsigned line = place_line(place, &length);
        if (!line || !sources_line(page->sources, place, 0))
            continue;
        json_t *lines = json_array();
        int first = line > SNIPPET_LINES ? -SNIPPET_LINES : 1 - (int)line;
        for (int k = first; k <= SNIPPET_LINES; k++) {
            const char *text = sources_line(page->sources, place, k);
            if (text)
                json_array_append_new(lines, words_json(text));
        }
        char key[16];
        snprintf(key, sizeof key, "%u", i);
        json_object_set_new(object, key, json_pack("[I, o]", (json_int_t)line + first, lines));
    }
    return object;
}

static json_t *texts_json(const struct page *page)
{
    json_t *list = json_array();
    for (uint32_t i = 0; i < intern_count(page->texts); i++)
        json_array_append_new(list, words_json(intern_text(page->texts, i)));
    return list;
}

/* One process: its findings and threads behind those of the ones before. */
static void add_report(struct page *page, const struct report *report, json_t *findings,
                       json_t *threads)
{
    page->report = report;
    page->trace = report->trace;
    page->held = report->held;
    page->first_thread = (json_int_t)json_array_size(threads);
    for (size_t i = 0; i < report->count; i++)
        json_array_append_new(findings, finding_json(page, report->items[i]));
    for (uint32_t i = 0; i < report->history->threads; i++)
        json_array_append_new(threads, thread_json(page, i));
}

/* How large the recording is. Runs of an exploration are no parts of one, but each a whole. */
static json_t *recorded_json(const struct report *report)
{
    json_int_t events = 0, threads = 0, objects = 0;
    for (; report; report = report->next)
        if (!report->explored) {
            events += report->history->count;
            threads += report->history->threads;
            objects += trace_count(report->trace, CLASS_VARIABLE);
        }
    return json_pack("{s:I, s:I, s:I}", "events", events, "threads", threads, "objects", objects);
}

static json_t *data_json(struct page *page, const struct report *first, const char *version)
{
    json_t *findings = json_array(), *threads = json_array();
    json_int_t hidden = 0, undecided = 0;
    for (const struct report *report = first; report; report = report->next) {
        add_report(page, report, findings, threads);
        hidden += (json_int_t)report->hidden;
        for (size_t i = 0; i < report->engine_count; i++)
            undecided += (json_int_t)report->engines[i].exhausted;
    }
    json_t *snippets = snippets_json(page);
    json_t *data = json_pack("{s:s, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o}", "version", version,
                             "path", words_json(first->path), "recorded", recorded_json(first),
                             "hidden", hidden, "undecided", undecided, "threads", threads,
                             "findings", findings, "snippets", snippets, "texts", texts_json(page));
    const char *incomplete = report_incomplete(first);
    json_t *exploration = json_object_get(first->extra, "exploration");
    if (exploration)
        json_object_set(data, "exploration", exploration);
    if (incomplete)
        json_object_set_new(data, "incomplete", words_json(incomplete));
    if (first->program)
        json_object_set_new(
            data, "program",
            json_pack("{s:o, s:s, s:o}", "command", words_json(first->program->command), "date",
                      first->program->date, "host", words_json(first->program->host)));
    if (first->run)
        json_object_set_new(
            data, "run",
            json_pack("{s:f, s:f, s:f, s:I, s:I}", "recording", first->run->recording, "predicting",
                      first->run->predicting, "replaying", first->run->replaying, "replays",
                      (json_int_t)first->run->replays, "left", (json_int_t)first->run->left));
    return data;
}

/* JSON inside a script element: nothing in it may look like the element's end. */
static int write_escaped(const char *bytes, size_t count, void *out)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] == '<' || bytes[i] == '>' || bytes[i] == '&')
            fprintf(out, "\\u%04x", (unsigned)bytes[i]);
        else
            putc(bytes[i], out);
    return 0;
}

void report_html(FILE *out, const struct report *report, const char *version)
{
    size_t count = 1;
    for (const struct report *each = report; each; each = each->next)
        count += each->count;
    size_t share = STEPS_TOTAL / count;
    struct page page = {
        .texts = interner_create(),
        .sources = sources_create(report),
        .most_steps = share < STEPS_LEAST  ? STEPS_LEAST
                      : share > STEPS_MOST ? STEPS_MOST
                                           : share,
    };
    json_t *data = data_json(&page, report, version);
    fprintf(out, "%s<style>\n%s</style>\n%s", page_head, page_style, page_body);
    html_overview(out, report);
    fputs("<div id=\"finding\"></div>\n</main>\n", out);
    html_plain(out, report);
    fputs("<script type=\"application/json\" id=\"data\">", out);
    json_dump_callback(data, write_escaped, out, JSON_COMPACT | JSON_REAL_PRECISION(6));
    fprintf(out, "</script>\n<script>\n%s%s%s</script>\n</body>\n</html>\n", page_why, page_story,
            page_program);
    json_decref(data);
    interner_destroy(page.texts);
    sources_destroy(page.sources);
}
