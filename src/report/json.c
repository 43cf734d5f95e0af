/* SPDX-License-Identifier: MIT */
#include "report/json.h"

#include "base/array.h"
#include "report/advice.h"
#include "report/details.h"
#include "report/nature.h"
#include "report/words.h"
#include "trace/finding_id.h"

#include <string.h>

const char *report_op_text(enum event_op op)
{
    static const char *const texts[EVENT_COUNT] = {
        [EVENT_START] = "start",
        [EVENT_END] = "end",
        [EVENT_FORK] = "fork",
        [EVENT_JOIN] = "join",
        [EVENT_READ] = "read",
        [EVENT_WRITE] = "write",
        [EVENT_ATOMIC_LOAD] = "atomic-load",
        [EVENT_ATOMIC_LOOK] = "atomic-load",
        [EVENT_ATOMIC_STORE] = "atomic-store",
        [EVENT_ATOMIC_RMW] = "atomic-rmw",
        [EVENT_FENCE] = "fence",
        [EVENT_ALLOC] = "alloc",
        [EVENT_FREE] = "free",
        [EVENT_ACQUIRE] = "acquire",
        [EVENT_RELEASE] = "release",
        [EVENT_ACQUIRE_READ] = "acquire-read",
        [EVENT_RELEASE_READ] = "release-read",
        [EVENT_ACQUIRE_WRITE] = "acquire-write",
        [EVENT_RELEASE_WRITE] = "release-write",
        [EVENT_WAIT_BEGIN] = "wait-begin",
        [EVENT_WAIT_END] = "wait-end",
        [EVENT_SIGNAL] = "signal",
        [EVENT_BROADCAST] = "broadcast",
        [EVENT_BARRIER_ENTER] = "barrier-enter",
        [EVENT_BARRIER_EXIT] = "barrier-exit",
        [EVENT_POST] = "post",
        [EVENT_SEM_WAIT] = "wait",
        [EVENT_ONCE_BEGIN] = "once-begin",
        [EVENT_ONCE_END] = "once-end",
        [EVENT_ONCE_PASS] = "once-pass",
        [EVENT_BLOCK_BEGIN] = "block-begin",
        [EVENT_BLOCK_END] = "block-end",
        [EVENT_BRANCH] = "branch",
        [EVENT_DESTROY] = "destroy",
        [EVENT_BAD_RELEASE] = "bad-release",
        [EVENT_BAD_ACQUIRE] = "bad-acquire",
        [EVENT_BAD_WAIT] = "bad-wait",
        [EVENT_BAD_JOIN] = "bad-join",
        [EVENT_CONDITION_DESTROY] = "condition-destroy",
        [EVENT_BARRIER_DESTROY] = "barrier-destroy",
        [EVENT_SEMAPHORE_DESTROY] = "semaphore-destroy",
        [EVENT_DETACH] = "detach",
        [EVENT_BAD_CALL] = "bad-call",
    };
    return texts[op];
}

static json_t *event_json(const struct trace *trace, const struct finding_event *event)
{
    return json_pack("{s:I, s:I, s:I, s:s, s:o}", "thread", (json_int_t)event->thread, "index",
                     (json_int_t)event->index, "pos", (json_int_t)event->pos, "op",
                     report_op_text(event->op), "location",
                     words_json(trace_location(trace, event->location)));
}

static json_t *stack_json(const char *stack)
{
    json_t *list = json_array();
    for (; *stack; stack += strcspn(stack, "\n") + (*stack != 0)) {
        size_t function = strcspn(stack, "\t\n"), line = strcspn(stack, "\n");
        json_t *place = line > function
                            ? words_format("%.*s", (int)(line - function - 1), stack + function + 1)
                            : json_string("");
        json_array_append_new(list, json_pack("{s:o, s:o}", "function",
                                              words_format("%.*s", (int)function, stack),
                                              "location", place));
    }
    return list;
}

json_t *report_consequence_json(const struct consequence *consequence)
{
    const struct consequence_order *failure = consequence_failure(consequence);
    json_t *orders = json_array();
    for (uint32_t i = 0; i < consequence->count; i++) {
        const struct consequence_order *order = &consequence->orders[i];
        json_t *object = json_pack("{s:o}", "text", words_json(order->text));
        if (order->first != CONSEQUENCE_ANY)
            json_object_set_new(object, "first", json_integer(order->first));
        if (order->rule)
            json_object_set_new(object, "rule", json_string(order->rule));
        if (order->values)
            json_object_set_new(object, "values", words_json(order->values));
        if (order->stack)
            json_object_set_new(object, "stack", stack_json(order->stack));
        json_array_append_new(orders, object);
    }
    return json_pack(
        "{s:s, s:o, s:o}", "rule", failure ? failure->rule : "none", "text",
        words_json(failure ? failure->text
                   : consequence->count == 2
                       ? "both orders end alike: the output and the exit code are the same"
                       : consequence->orders[0].text),
        "orders", orders);
}

static json_t *finding_json(const struct report *report, const struct finding *finding,
                            const struct held *held)
{
    char id[FINDING_ID_SIZE];
    const struct trace *trace = report->trace;
    finding_id(finding, trace, id);
    json_t *object =
        json_pack("{s:s, s:s, s:s, s:s, s:s}", "id", id, "kind", finding_kind_text(finding->kind),
                  "engine", finding->engine, "model", model_text(finding->model), "verdict",
                  verdict_text(finding->verdict));
    if (report->history)
        json_object_set_new(object, "nature",
                            json_string(nature_of(report->history, report->held, finding)));
    if (finding->rule)
        json_object_set_new(object, "rule", json_string(finding->rule));
    if (finding->kind == FINDING_FAILURE)
        json_object_set_new(object, "from", json_string(finding_kind_text(finding->from)));
    if (finding->via[0])
        json_object_set_new(object, "via", json_string(finding->via));
    if (finding->beside[0])
        json_object_set_new(object, "beside", json_string(finding->beside));
    if (finding->consequence.count)
        json_object_set_new(object, "consequence", report_consequence_json(&finding->consequence));
    if (finding->error != ATOMICITY_NONE)
        json_object_set_new(object, "error", json_string(atomicity_error_text(finding->error)));
    if (finding->block != INTERN_NONE)
        json_object_set_new(object, "block",
                            words_json(trace_name(trace, CLASS_LABEL, finding->block)));
    if (finding->object_class != CLASS_NONE)
        json_object_set_new(object, "object",
                            words_name(trace, finding->object_class, finding->object));
    const struct finding *leader = report->groups ? groups_leader(report->groups, finding) : NULL;
    if (leader) {
        finding_id(leader, trace, id);
        json_object_set_new(object, "group", json_string(id));
    }
    if (report->process)
        json_object_set_new(object, "process", words_json(report->process));
    json_t *events = json_array();
    for (uint32_t i = 0; i < finding->event_count; i++) {
        json_t *event = event_json(trace, &finding->events[i]);
        if (held)
            details_of_event(event, report->history, held, &finding->events[i]);
        json_array_append_new(events, event);
    }
    json_object_set_new(object, "events", events);
    if (held)
        json_object_set_new(object, "threads", details_of_threads(report->history, finding));
    char *advice =
        report->history ? advice_for(report->advice, report->history, report->held, finding) : NULL;
    if (advice)
        json_object_set_new(object, "suggestion", words_json(advice));
    free(advice);
    if (finding->note)
        json_object_set_new(object, "note", words_json(finding->note));
    if (finding->replay)
        json_object_set_new(object, "replay", words_json(finding->replay));
    finding_id(finding, trace, id);
    if (report->besides && json_object_get(report->besides, id))
        json_object_update(object, json_object_get(report->besides, id));
    return object;
}

static json_t *engine_json(const struct report_engine *engine)
{
    json_t *object =
        json_pack("{s:s, s:s, s:I}", "name", engine->name, "model", model_text(engine->model),
                  "findings", (json_int_t)engine->findings->count);
    if (engine->seconds >= 0)
        json_object_set_new(object, "seconds", json_real(engine->seconds));
    if (engine->candidates)
        json_object_update_new(object, json_pack("{s:I, s:I, s:I}", "candidates",
                                                 (json_int_t)engine->candidates, "refuted",
                                                 (json_int_t)engine->refuted, "exhausted",
                                                 (json_int_t)engine->exhausted));
    return object;
}

/* Prints an object without its closing brace. */
static void print_open(FILE *out, json_t *object)
{
    char *text = json_dumps(object, JSON_REAL_PRECISION(6));
    if (text)
        fwrite(text, 1, strlen(text) - 1, out);
    free(text);
    json_decref(object);
}

/* With commas between them. A witness may have millions. */
static void write_numbers(FILE *out, const uint32_t *numbers, uint32_t count)
{
    enum { LONGEST = 11 };
    char text[4096], digits[LONGEST];
    size_t length = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t at = LONGEST;
        uint32_t rest = numbers[i];
        do
            digits[--at] = (char)('0' + rest % 10);
        while (rest /= 10);
        if (i)
            digits[--at] = ',';
        memcpy(text + length, digits + at, LONGEST - at);
        length += LONGEST - at;
        if (length > sizeof text - LONGEST) {
            fwrite(text, 1, length, out);
            length = 0;
        }
    }
    fwrite(text, 1, length, out);
}

/* A finding a line. Witnesses can be long: they are printed, not built in memory. */
static void print_finding(FILE *out, const struct report *report, const struct finding *finding,
                          const struct held *held)
{
    print_open(out, finding_json(report, finding, held));
    if (finding->witness) {
        fputs(finding->in_turns ? ", \"turns\": [" : ", \"witness\": [", out);
        write_numbers(out, finding->witness, finding->witness_length);
        putc(']', out);
    }
    putc('}', out);
}

static json_t *run_json(const struct report_run *run)
{
    json_t *object =
        json_pack("{s:f, s:f, s:f, s:f, s:I, s:I}", "recording", run->recording, "predicting",
                  run->predicting, "replaying", run->replaying, "fruitless", run->fruitless,
                  "replays", (json_int_t)run->replays, "left", (json_int_t)run->left);
    if (run->at_once > 1)
        json_object_set_new(object, "at_once", json_integer(run->at_once));
    if (run->foretold)
        json_object_set_new(object, "foretold", json_integer(run->foretold));
    if (*run->note)
        json_object_set_new(object, "note", json_string(run->note));
    return object;
}

static json_t *head_json(const struct report *first)
{
    json_t *list = json_array();
    json_int_t events = 0, threads = 0, objects = 0;
    for (const struct report *report = first; report; report = report->next) {
        for (size_t i = 0; i < report->engine_count; i++)
            json_array_append_new(list, engine_json(&report->engines[i]));
        events += (json_int_t)report->trace->delivered;
        threads += trace_count(report->trace, CLASS_THREAD);
        objects += trace_count(report->trace, CLASS_VARIABLE);
    }
    json_t *head = json_pack("{s:s, s:i, s:{s:I, s:I, s:I}, s:o}", "format", "preplay-findings",
                             "version", FINDINGS_VERSION, "trace", "events", events, "threads",
                             threads, "objects", objects, "engines", list);
    const char *incomplete = report_incomplete(first);
    if (incomplete)
        json_object_set_new(head, "incomplete", words_json(incomplete));
    if (first->run)
        json_object_set_new(head, "run", run_json(first->run));
    if (first->extra)
        json_object_update(head, first->extra);
    return head;
}

/* For all findings at once: one walk over the trace. NULL if there are no details. */
static struct held *find_held(const struct report *report)
{
    struct all ARRAY_OF(const struct finding *) all = {0};
    if (!report->history)
        return NULL;
    for (size_t i = 0; i < report->engine_count; i++)
        for (size_t k = 0; k < report->engines[i].findings->count; k++)
            array_push(&all, &report->engines[i].findings->items[k]);
    struct held *held = held_create(report->history, all.items, all.count);
    array_free(&all);
    return held;
}

void report_json(FILE *out, const struct report *first)
{
    const char *comma = "\n  ";
    print_open(out, head_json(first));
    fputs(",\n \"findings\": [", out);
    for (const struct report *report = first; report; report = report->next) {
        struct held *held = find_held(report);
        for (size_t i = 0; i < report->engine_count; i++)
            for (size_t k = 0; k < report->engines[i].findings->count; k++) {
                const struct finding *finding = &report->engines[i].findings->items[k];
                if (map_find(&report->left_out, (uint64_t)(uintptr_t)finding))
                    continue;
                fputs(comma, out);
                print_finding(out, report, finding, held);
                comma = ",\n  ";
            }
        held_destroy(held);
    }
    fputs("]}\n", out);
}
