/* SPDX-License-Identifier: MIT */
#include "report/sarif.h"

#include "base/memory.h"
#include "report/advice.h"
#include "report/frames.h"
#include "report/nature.h"
#include "report/relative_path.h"
#include "report/steps.h"
#include "report/thread_text.h"
#include "report/words.h"
#include "trace/turns.h"
#include "trace/finding_id.h"
#include "trace/misuse_rules.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 400 }; /* of a code flow */

static const struct {
    const char *id, *name, *title, *text, *help;
} rules[] = {
    {"preplay/race", "DataRace", "Data race",
     "Two threads access the same memory at the same time and at least one of them writes.",
     "Protect both accesses with the same lock, make them atomic, or order them by a join, a "
     "barrier or a condition variable."},
    {"preplay/deadlock", "Deadlock", "Deadlock",
     "Every thread of a cycle waits for a lock that the next one holds.",
     "Take the locks in the same order everywhere."},
    {"preplay/atomicity", "AtomicityViolation", "Atomicity violation",
     "Another thread's operation can run inside a block that is meant to be atomic, so that no "
     "serial order explains what the block sees.",
     "Hold one lock over the whole block, and everywhere else that its data is used."},
    {"preplay/failure", "Failure", "Failure of another schedule",
     "The program failed in a replay of a schedule that its threads may take.",
     "See what the schedule does, and what the program did then."},
    {"preplay/order", "OrderViolation", "Order violation",
     "A read can come before the write that it relies on, or after what it reads was torn down, "
     "though every access holds its lock.",
     "Let the thread wait for what it needs, and end things only when nobody needs them any more: "
     "a join, a condition that is checked, a count of users."},
};

enum { KINDS = sizeof rules / sizeof *rules, ORDER_RULE = KINDS - 1 };

static json_t *message(json_t *text)
{
    return json_pack("{s:o}", "text", text);
}

static json_t *rule_json(json_t *id, const char *name, const char *title, const char *text,
                         const char *help)
{
    return json_pack("{s:o, s:s, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:s}, s:{s:[s]}}", "id", id, "name",
                     name, "shortDescription", "text", title, "fullDescription", "text", text,
                     "help", "text", help, "defaultConfiguration", "level", "error", "properties",
                     "tags", "concurrency");
}

static json_t *misuse_id(unsigned misuse)
{
    return words_format("preplay/%s", misuse_rules[misuse].name);
}

static json_t *rules_json(void)
{
    json_t *list = json_array();
    for (size_t i = 0; i < KINDS; i++)
        json_array_append_new(list, rule_json(json_string(rules[i].id), rules[i].name,
                                              rules[i].title, rules[i].text, rules[i].help));
    for (unsigned i = MISUSE_NONE + 1; i < MISUSE_COUNT; i++) {
        const struct misuse_rule *rule = &misuse_rules[i];
        json_array_append_new(
            list, rule_json(misuse_id(i), rule->title, rule->text, rule->text, rule->help));
    }
    return list;
}

/* Its place in that list. */
static unsigned rule_index(const struct finding *finding)
{
    enum misuse misuse = misuse_find(finding->rule);
    return finding->kind == FINDING_ORDER              ? ORDER_RULE
           : finding->kind == FINDING_MISUSE && misuse ? KINDS + misuse - 1
                                                       : finding->kind;
}

/* A path as part of a URI. */
static char *uri_of(const char *prefix, const char *path, size_t length)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789-._~/";
    char *uri = memory_alloc(strlen(prefix) + 3 * length + 1, 1);
    char *at = stpcpy(uri, prefix);
    for (size_t i = 0; i < length; i++)
        if (strchr(plain, path[i]) && path[i])
            *at++ = path[i];
        else
            at += sprintf(at, "%%%02X", (unsigned char)path[i]);
    *at = '\0';
    return uri;
}

static json_t *artifact(const struct report *report, const char *path, size_t length)
{
    path = relative_path(path, &length, report->directory);
    bool absolute = *path == '/';
    char *uri = uri_of(absolute ? "file://" : "", path, length);
    json_t *object = json_pack("{s:s}", "uri", uri);
    if (!absolute)
        json_object_set_new(object, "uriBaseId", json_string("SRCROOT"));
    free(uri);
    return object;
}

/* A place in the source; where there is none, its name. */
static json_t *location_json(const struct report *report, const char *place, const char *function,
                             json_t *text)
{
    size_t length;
    unsigned line = place_line(place, &length);
    json_t *object = json_object();
    bool is_path = line && report->history->trace->format->code;
    if (is_path) {
        json_t *region = json_pack("{s:I}", "startLine", (json_int_t)line);
        const char *column = strchr(place + length + 1, ':');
        if (column && atoi(column + 1) > 0)
            json_object_set_new(region, "startColumn", json_integer(atoi(column + 1)));
        json_object_set_new(object, "physicalLocation",
                            json_pack("{s:o, s:o}", "artifactLocation",
                                      artifact(report, place, length), "region", region));
    }
    if (function || !is_path)
        json_object_set_new(
            object, "logicalLocations",
            json_pack("[{s:o}]", "fullyQualifiedName", words_json(function ? function : place)));
    if (text)
        json_object_set_new(object, "message", message(text));
    return object;
}

static json_t *event_location(const struct report *report, uint32_t location, uint32_t stack,
                              json_t *text)
{
    const struct trace *trace = report->history->trace;
    const char *function, *place;
    frame_own(trace, location, stack, &function, &place);
    char *name = function ? demangle(function) : NULL;
    json_t *object = location_json(report, place, name, text);
    free(name);
    return object;
}

static json_t *stack_json(const struct report *report, const struct finding_event *event,
                          json_t *text)
{
    struct frame frames[FRAMES_MOST];
    json_t *list = json_array();
    size_t count = frames_collect(frames, report->history->trace, event->location, event->stack);
    for (size_t i = 0; i < count; i++)
        json_array_append_new(
            list, json_pack("{s:o}", "location",
                            location_json(report, frames[i].place, frames[i].function, NULL)));
    frames_free(frames, count);
    return json_pack("{s:o, s:o}", "message", message(text), "frames", list);
}

static json_t *event_text(const struct report *report, const struct finding *finding, uint32_t pos)
{
    char step[512], thread[256];
    const struct event *event = &report->history->events[pos];
    bool last = false;
    for (uint32_t i = 0; i < finding->event_count; i++)
        last |= finding->events[i].pos == pos;
    thread_text(thread, sizeof thread, report, event->thread);
    step_text(step, sizeof step, report->history->trace, event,
              last && finding_shape(finding) == FINDING_DEADLOCK);
    return words_format("thread %s %s", thread, step);
}

/* "In between: thread T2 writes x", of the i-th event that makes the error. */
static json_t *role_text(const struct report *report, const struct finding *finding, uint32_t i)
{
    const char *role = nature_role(finding, i);
    json_t *text = event_text(report, finding, finding->events[i].pos);
    if (!*role)
        return text;
    json_t *whole = words_format("%s: %s", role, json_string_value(text));
    json_decref(text);
    return whole;
}

/* The thread flows of a witness, by thread; executionOrder tells how they interleave. */
static json_t *code_flow(const struct report *report, const struct finding *finding)
{
    const struct history *history = report->history;
    size_t count;
    struct step *steps = steps_create(history, finding, MOST_STEPS, &count);
    json_t *flows = json_array();
    for (uint32_t thread = 0; thread < history->threads; thread++) {
        json_t *places = json_array();
        for (size_t i = 0; i < count; i++) {
            const struct event *event = &history->events[steps[i].pos];
            if (steps[i].gap || event->thread != thread)
                continue;
            json_t *text = steps[i].count > 1 ? words_format("%u accesses", steps[i].count)
                                              : event_text(report, finding, steps[i].pos);
            json_array_append_new(
                places, json_pack("{s:o, s:I, s:s}", "location",
                                  event_location(report, event->location, event->stack, text),
                                  "executionOrder", (json_int_t)steps[i].place + 1, "importance",
                                  steps[i].error ? "essential" : "important"));
        }
        char name[256];
        thread_text(name, sizeof name, report, thread);
        if (json_array_size(places))
            json_array_append_new(
                flows, json_pack("{s:o, s:o}", "id", words_json(name), "locations", places));
        else
            json_decref(places);
    }
    free(steps);
    return json_pack("{s:{s:s}, s:o}", "message", "text", "a schedule that reaches the error",
                     "threadFlows", flows);
}

static const char *level(const struct finding *finding)
{
    return report_is_real(finding) ? "error" : report_shows(finding) ? "warning" : "note";
}

static json_t *result_json(const struct report *report, const struct finding *finding)
{
    char id[FINDING_ID_SIZE];
    finding_id(finding, report->history->trace, id);
    char *title = words_title(report, finding);
    unsigned rule = rule_index(finding);
    json_t *related = json_array(), *stacks = json_array();
    for (uint32_t i = 0; i < finding->event_count; i++) {
        const struct finding_event *event = &finding->events[i];
        json_array_append_new(stacks, stack_json(report, event, role_text(report, finding, i)));
        json_t *place =
            event_location(report, event->location, event->stack, role_text(report, finding, i));
        json_object_set_new(place, "id", json_integer(i));
        json_array_append_new(related, place);
    }
    json_t *result = json_pack(
        "{s:o, s:i, s:s, s:o, s:[o], s:o, s:o, s:{s:s}, s:{s:s, s:s, s:s, s:s}}", "ruleId",
        rule < KINDS ? json_string(rules[rule].id) : misuse_id(rule - KINDS + 1), "ruleIndex",
        (int)rule, "level", level(finding), "message",
        message(words_format("%s (%s)", title, verdict_text(finding->verdict))), "locations",
        event_location(report, finding->events[0].location, finding->events[0].stack, NULL),
        "relatedLocations", related, "stacks", stacks, "partialFingerprints", "preplayFinding/v2",
        id, "properties", "id", id, "verdict", verdict_text(finding->verdict), "model",
        model_text(finding->model), "engine", finding->engine);
    if (report->groups) {
        finding_id(groups_leader(report->groups, finding), report->trace, id);
        json_object_set_new(json_object_get(result, "properties"), "group", json_string(id));
    }
    if (finding->witness) {
        struct finding full = finding_in_full(finding, report->history);
        json_object_set_new(result, "codeFlows", json_pack("[o]", code_flow(report, &full)));
        finding_full_free(&full, finding);
    }
    char *advice = advice_for(report->advice, report->history, report->held, finding);
    if (advice)
        json_object_set_new(json_object_get(result, "properties"), "suggestion",
                            words_json(advice));
    free(advice);
    if (finding->replay)
        json_object_set_new(json_object_get(result, "properties"), "replay",
                            words_json(finding->replay));
    free(title);
    return result;
}

/* What a reader of "no results" must know. */
static json_t *notifications_json(const char *incomplete)
{
    return json_pack(
        "[{s:s, s:{s:s}, s:o}]", "level", "warning", "descriptor", "id", "incomplete", "message",
        message(words_format("Incomplete: %s. Nothing is said about the rest.", incomplete)));
}

/* "preplay/COMMAND/": what stands before the last slash is the category. */
static json_t *category_json(const char *command)
{
    char *id = memory_alloc(strlen(command) + 1, 1), *at = id;
    for (command += strspn(command, "./"); *command; command++)
        *at++ = *command == '/' ? '-' : *command;
    *at = '\0';
    json_t *category = words_format("preplay/%s/", id);
    free(id);
    return category;
}

void report_sarif(FILE *out, const struct report *report, const char *version)
{
    json_t *results = json_array();
    for (const struct report *each = report; each; each = each->next)
        for (size_t i = 0; i < each->count; i++)
            json_array_append_new(results, result_json(each, each->items[i]));
    json_t *run =
        json_pack("{s:{s:{s:s, s:s, s:o}}, s:s, s:[{s:b}], s:o}", "tool", "driver", "name",
                  "preplay", "version", version, "rules", rules_json(), "columnKind",
                  "utf16CodeUnits", "invocations", "executionSuccessful", 1, "results", results);
#ifdef PREPLAY_HOMEPAGE
    json_object_set_new(json_object_get(json_object_get(run, "tool"), "driver"), "informationUri",
                        json_string(PREPLAY_HOMEPAGE));
#endif
    const char *incomplete = report_incomplete(report);
    if (incomplete)
        json_object_set_new(json_array_get(json_object_get(run, "invocations"), 0),
                            "toolExecutionNotifications", notifications_json(incomplete));
    if (report->program) /* GitHub keeps what other tests found: their category is another */
        json_object_set_new(run, "automationDetails",
                            json_pack("{s:o}", "id", category_json(report->program->command)));
    if (report->directory) {
        char *uri = uri_of("file://", report->directory, strlen(report->directory));
        json_object_set_new(run, "originalUriBaseIds",
                            json_pack("{s:{s:s+}}", "SRCROOT", "uri", uri, "/"));
        free(uri);
    }
    json_t *root =
        json_pack("{s:s, s:s, s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json",
                  "version", "2.1.0", "runs", run);
    json_dumpf(root, out, JSON_INDENT(1));
    putc('\n', out);
    json_decref(root);
}
