/* SPDX-License-Identifier: MIT */
/* preplay check: does a witness prove what it claims?
 *
 * WITNESS is a findings file (docs/design.md, "The command line"), of which every finding with a
 * witness or turns (trace/turns.h) is checked, or a plain list of pos values, taken
 * as the witness of a race of its last two events. */
#include "base/array.h"
#include "cli/command.h"
#include "cli/trace_argument.h"
#include "model/checker.h"
#include "model/sift.h"
#include "report/text.h"
#include "trace/std_writer.h"

#include <errno.h>
#include <jansson.h>
#include <string.h>

#define REJECTED 1

struct positions ARRAY_OF(uint32_t);

struct witness {
    enum finding_kind kind;
    enum model model;
    const char *id;
    struct positions events, order;
    bool in_turns;
};

static int bad(const char *path, struct error *error, const char *reason)
{
    return error_set(error, ERROR_INPUT, "%s: %s", path, reason);
}

static bool read_pos(const json_t *value, struct positions *into)
{
    json_int_t pos = json_integer_value(value);
    if (!json_is_integer(value) || pos < 0 || pos >= UINT32_MAX)
        return false;
    array_push(into, (uint32_t)pos);
    return true;
}

static bool read_finding(const json_t *finding, struct witness *witness)
{
    const char *kind = json_string_value(json_object_get(finding, "kind"));
    const char *model = json_string_value(json_object_get(finding, "model"));
    const char *id = json_string_value(json_object_get(finding, "id"));
    const json_t *events = json_object_get(finding, "events");
    const json_t *turns = json_object_get(finding, "turns");
    const json_t *order = turns ? turns : json_object_get(finding, "witness");
    if (!kind || !model || !json_is_array(events) || !json_is_array(order))
        return false;
    witness->id = id ? id : "?";
    witness->in_turns = turns;
    witness->model = model_parse(model);
    for (witness->kind = FINDING_RACE; witness->kind < FINDING_KINDS; witness->kind++)
        if (strcmp(kind, finding_kind_text(witness->kind)) == 0)
            break;
    if (witness->kind == FINDING_KINDS || witness->kind == FINDING_FAILURE ||
        witness->model == MODEL_COUNT)
        return false;
    size_t i;
    json_t *value;
    json_array_foreach(events, i, value) if (!read_pos(json_object_get(value, "pos"),
                                                       &witness->events)) return false;
    json_array_foreach(order, i, value) if (!read_pos(value, &witness->order)) return false;
    return true;
}

static void print_complaint(const struct history *history, const struct witness *witness,
                            const struct complaint *complaint)
{
    report_safe_text(stdout, witness->id);
    printf(": rejected at place %u", complaint->at);
    if (complaint->pos < history->count) {
        const struct event *event = &history->events[complaint->pos];
        printf(", event %u (thread ", complaint->pos);
        report_safe_text(stdout, trace_name(history->trace, CLASS_THREAD, event->thread));
        fputs(", ", stdout);
        std_write_operation(stdout, history->trace, event, report_safe_text);
        putchar(')');
    } else if (complaint->pos != POS_NONE) {
        printf(", event %u", complaint->pos);
    }
    printf(": %s\n", complaint->rule);
}

static bool check_one(const struct history *history, const struct witness *witness)
{
    struct rules *rules = rules_create(history, witness->model);
    struct claim claim = {
        witness->kind,        witness->events.items,          (uint32_t)witness->events.count,
        witness->order.items, (uint32_t)witness->order.count, witness->in_turns};
    struct complaint complaint;
    bool good = witness_check(rules, &claim, &complaint);
    if (good) {
        report_safe_text(stdout, witness->id);
        printf(": accepted (%s, %s, %zu %s)\n", finding_kind_text(witness->kind),
               model_text(witness->model), witness->order.count,
               witness->in_turns ? "turns" : "events");
    } else {
        print_complaint(history, witness, &complaint);
    }
    rules_destroy(rules);
    return good;
}

static int check_findings(const struct history *history, const char *path, const json_t *root,
                          enum model model, struct error *error)
{
    const json_t *findings = json_object_get(root, "findings");
    if (!json_is_array(findings))
        return bad(path, error, "no list of findings in it");
    size_t i, checked = 0;
    const json_t *finding;
    int code = EXIT_OK;
    json_array_foreach(findings, i, finding)
    {
        if (!json_object_get(finding, "witness") && !json_object_get(finding, "turns"))
            continue;
        struct witness witness = {0};
        bool readable = read_finding(finding, &witness);
        if (model != MODEL_NONE)
            witness.model = model;
        if (readable && !check_one(history, &witness))
            code = REJECTED;
        array_free(&witness.events);
        array_free(&witness.order);
        if (!readable)
            return error_set(error, ERROR_INPUT,
                             "%s: finding %zu: expected kind, model, events and witness or turns",
                             path, i);
        checked++;
    }
    if (!checked)
        return bad(path, error, "no finding in it has a witness");
    return code;
}

static int check_list(const struct history *history, const char *path, const char *text,
                      enum model model, struct error *error)
{
    struct witness witness = {.kind = FINDING_RACE, .model = model, .id = path};
    if (model == MODEL_NONE)
        witness.model = MODEL_RF;
    const char *at = text;
    for (;;) {
        at += strspn(at, " \t\r\n,[]");
        if (!*at)
            break;
        char *end;
        errno = 0;
        unsigned long long pos = strtoull(at, &end, 10);
        if (errno || end == at || *at == '-' || pos >= UINT32_MAX) {
            array_free(&witness.order);
            return error_set(error, ERROR_INPUT,
                             "%s: byte %td: expected the pos of an event, "
                             "found '%.10s'",
                             path, at - text, at);
        }
        array_push(&witness.order, (uint32_t)pos);
        at = end;
    }
    int code = REJECTED;
    if (witness.order.count < 2) {
        code = bad(path, error, "a witness has at least two events");
    } else {
        array_push(&witness.events, witness.order.items[witness.order.count - 2]);
        array_push(&witness.events, array_last(&witness.order));
        code = check_one(history, &witness) ? EXIT_OK : REJECTED;
    }
    array_free(&witness.events);
    array_free(&witness.order);
    return code;
}

static char *read_file(const char *path, struct error *error)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    ssize_t length = file ? getdelim(&text, &room, '\0', file) : -1;
    if (!file || (length < 0 && ferror(file)))
        error_set(error, ERROR_INPUT, "%s: cannot read: %s", path, strerror(errno));
    if (file)
        fclose(file);
    if (length >= 0)
        return text;
    free(text);
    if (error->code == ERROR_NONE)
        bad(path, error, "the file is empty");
    return NULL;
}

static int check_file(const struct history *history, const char *path, enum model model,
                      struct error *error)
{
    char *text = read_file(path, error);
    if (!text)
        return -1;
    int code;
    if (text[strspn(text, " \t\r\n")] == '{') {
        json_error_t where;
        json_t *root = json_loads(text, 0, &where);
        code = root ? check_findings(history, path, root, model, error)
                    : error_set(error, ERROR_INPUT, "%s:%d:%d: %s", path, where.line, where.column,
                                where.text);
        json_decref(root);
    } else {
        code = check_list(history, path, text, model, error);
    }
    free(text);
    return code;
}

int cmd_check(struct options *options, struct error *error)
{
    enum model model = MODEL_NONE;
    if (command_arguments(options, 2, "a TRACE and a WITNESS", error) ||
        trace_argument_at(options, &options->arguments[0], error))
        return -1;
    if (options->model && (model = model_parse(options->model)) == MODEL_COUNT)
        return error_set(error, ERROR_USAGE, "no model '%s'; there are rf, value, branch and sync",
                         options->model);
    struct trace *trace = sift_open(options->arguments[0], error);
    struct history *history = trace ? history_read(trace, error) : NULL;
    int code = history ? check_file(history, options->arguments[1], model, error) : -1;
    history_destroy(history);
    trace_close(trace);
    return code;
}
