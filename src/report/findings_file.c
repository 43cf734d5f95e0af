/* SPDX-License-Identifier: MIT */
#include "report/findings_file.h"

#include "base/array.h"
#include "base/files.h"

#include <errno.h>
#include <jansson.h>

struct positions ARRAY_OF(uint32_t);
struct event_list ARRAY_OF(struct finding_event);

static bool read_pos(const json_t *value, const struct history *history, uint32_t *pos)
{
    json_int_t number = json_integer_value(value);
    *pos = (uint32_t)number;
    return json_is_integer(value) && number >= 0 && number < history_total(history);
}

static bool read_events(const json_t *list, const struct history *history,
                        struct event_list *events)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint32_t pos;
        struct finding_event event;
        if (!read_pos(json_object_get(json_array_get(list, i), "pos"), history, &pos))
            return false;
        finding_event_fill(&event, &history->events[pos], pos, history->index[pos]);
        array_push(events, event);
    }
    return true;
}

static bool read_witness(const json_t *list, const struct history *history,
                         struct positions *witness)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        uint32_t pos;
        if (!read_pos(json_array_get(list, i), history, &pos))
            return false;
        array_push(witness, pos);
    }
    return true;
}

/* The index of `text` among what `name` gives for 0, 1, ... ; `count` if none. */
static unsigned word_index(const char *text, const char *(*name)(unsigned), unsigned count)
{
    unsigned i = 0;
    while (i < count && (!text || strcmp(text, name(i)) != 0))
        i++;
    return i;
}

static const char *kind_name(unsigned i)
{
    return finding_kind_text(i);
}

static const char *model_name(unsigned i)
{
    return model_text(i);
}

static const char *verdict_name(unsigned i)
{
    return verdict_text(i);
}

static const char *error_name(unsigned i)
{
    return atomicity_error_text(i);
}

static const char *word(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

/* A race is of two accesses, a violation of a window and its culprit; one blocked
 * thread alone may be a deadlock (a lost wake-up), one operation a misuse. */
static bool has_its_events(unsigned kind, size_t count)
{
    switch (kind) {
    case FINDING_RACE:
    case FINDING_ORDER:
        return count == 2;
    case FINDING_DEADLOCK:
        return count >= 1;
    case FINDING_MISUSE:
        return count == 1 || count == 2;
    default:
        return count == 3;
    }
}

static bool fill(struct finding *finding, const json_t *object, const struct history *history,
                 struct event_list *events, struct positions *witness)
{
    unsigned kind = word_index(word(object, "kind"), kind_name, FINDING_KINDS);
    unsigned from = word_index(word(object, "from"), kind_name, FINDING_KINDS);
    unsigned shape = kind == FINDING_FAILURE ? from : kind;
    unsigned model = word_index(word(object, "model"), model_name, MODEL_COUNT);
    unsigned verdict = word_index(word(object, "verdict"), verdict_name, VERDICT_COUNT);
    unsigned mistake = word_index(word(object, "error"), error_name, 4);
    bool turns = json_object_get(object, "turns");
    if (kind == FINDING_KINDS || shape == FINDING_FAILURE || shape == FINDING_KINDS ||
        model == MODEL_COUNT || verdict == VERDICT_COUNT ||
        !read_events(json_object_get(object, "events"), history, events) ||
        !has_its_events(shape, events->count) ||
        !read_witness(json_object_get(object, turns ? "turns" : "witness"), history, witness) ||
        (witness->count && shape != FINDING_ORDER && witness->count < events->count))
        return false;
    *finding = (struct finding){
        .kind = kind,
        .from = shape,
        .rule = finding_rule_find(word(object, "rule")),
        .model = model,
        .verdict = verdict,
        .error = mistake == 4 ? ATOMICITY_NONE : mistake,
        .engine = "auto",
        .object_class = CLASS_NONE,
        .block = INTERN_NONE,
        .events = events->items,
        .event_count = (uint32_t)events->count,
        .witness = witness->count ? witness->items : NULL,
        .witness_length = (uint32_t)witness->count,
        .in_turns = turns && witness->count,
        .note = word(object, "note"),
        .replay = word(object, "replay"),
    };
    const struct event *event = &history->events[events->items[0].pos];
    finding->object_class = event_object_class(event->op);
    finding->object = event->object;
    if (word(object, "via"))
        snprintf(finding->via, sizeof finding->via, "%s", word(object, "via"));
    if (word(object, "beside"))
        snprintf(finding->beside, sizeof finding->beside, "%s", word(object, "beside"));
    const char *block = word(object, "block");
    if (block)
        finding->block = intern(history->trace->names[CLASS_LABEL], block, strlen(block));
    return true;
}

/* Frames a line, as struct consequence_order has them; malloc-ed. */
static char *read_stack(const json_t *list)
{
    char *text = NULL;
    size_t size;
    FILE *out = json_is_array(list) ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; out && i < json_array_size(list); i++) {
        const json_t *frame = json_array_get(list, i);
        const char *function = word(frame, "function"), *place = word(frame, "location");
        fprintf(out, "%s\t%s\n", function ? function : "?", place ? place : "");
    }
    if (out)
        fclose(out);
    return text;
}

static void read_consequence(struct consequence *consequence, const json_t *object)
{
    const json_t *orders = json_object_get(object, "orders");
    for (size_t i = 0; i < json_array_size(orders) && i < 2; i++) {
        const json_t *one = json_array_get(orders, i), *first = json_object_get(one, "first");
        char *stack = read_stack(json_object_get(one, "stack"));
        const char *text = word(one, "text");
        consequence_set(consequence,
                        &(struct consequence_order){
                            .first = json_is_integer(first) ? (uint32_t)json_integer_value(first)
                                                            : CONSEQUENCE_ANY,
                            .rule = finding_rule_find(word(one, "rule")),
                            .text = text ? text : "",
                            .values = word(one, "values"),
                            .stack = stack,
                        });
        free(stack);
    }
}

static int add_all(struct findings *findings, const json_t *list, const struct history *history,
                   const char *path, struct error *error)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        struct event_list events = {0};
        struct positions witness = {0};
        struct finding finding;
        bool good = fill(&finding, json_array_get(list, i), history, &events, &witness);
        const json_t *object = json_array_get(list, i);
        struct finding *added = good ? findings_add(findings, &finding) : NULL;
        if (added)
            read_consequence(&added->consequence, json_object_get(object, "consequence"));
        array_free(&events);
        array_free(&witness);
        if (!good)
            return error_set(error, ERROR_INPUT,
                             "%s: finding %zu does not fit the trace; run preplay predict again",
                             path, i);
    }
    return 0;
}

/* It lies in a trace directory, which a stranger may have filled. */
json_t *findings_file_load(const char *path, struct error *error)
{
    json_error_t where;
    FILE *file = files_read(path);
    if (!file) {
        error_set(error, ERROR_INPUT, "%s: cannot be read: %s", path, files_reason(errno));
        return NULL;
    }
    json_t *root = json_loadf(file, 0, &where);
    fclose(file);
    if (!root)
        error_set(error, ERROR_INPUT, "%s:%d: %s", path, where.line, where.text);
    return root;
}

int findings_file_take(struct findings *findings, const struct history *history, const json_t *root,
                       const char *path, struct error *error)
{
    const json_t *list = json_object_get(root, "findings");
    return json_is_array(list)
               ? add_all(findings, list, history, path, error)
               : error_set(error, ERROR_INPUT, "%s: no list of findings in it", path);
}

int findings_file_read(struct findings *findings, const struct history *history, const char *path,
                       struct error *error)
{
    json_t *root = findings_file_load(path, error);
    if (!root)
        return -1;
    int result = findings_file_take(findings, history, root, path, error);
    json_decref(root);
    return result;
}

static uint64_t number(const json_t *object, const char *key)
{
    json_int_t value = json_integer_value(json_object_get(object, key));
    return value > 0 ? (uint64_t)value : 0;
}

bool findings_file_numbers(const json_t *root, struct report_engine *engine, struct report_run *run)
{
    const json_t *engines = json_object_get(root, "engines");
    for (size_t i = 0; i < json_array_size(engines); i++) {
        const json_t *one = json_array_get(engines, i);
        engine->candidates += number(one, "candidates");
        engine->refuted += number(one, "refuted");
        engine->exhausted += number(one, "exhausted");
        engine->seconds += json_number_value(json_object_get(one, "seconds"));
    }
    const json_t *object = json_object_get(root, "run");
    *run = (struct report_run){
        .recording = json_number_value(json_object_get(object, "recording")),
        .predicting = json_number_value(json_object_get(object, "predicting")),
        .replaying = json_number_value(json_object_get(object, "replaying")),
        .fruitless = json_number_value(json_object_get(object, "fruitless")),
        .replays = (uint32_t)number(object, "replays"),
        .at_once = (uint32_t)number(object, "at_once"),
        .left = (uint32_t)number(object, "left"),
        .foretold = (uint32_t)number(object, "foretold"),
    };
    const char *note = json_string_value(json_object_get(object, "note"));
    snprintf(run->note, sizeof run->note, "%s", note ? note : "");
    return object != NULL;
}

bool findings_file_incomplete(const json_t *root)
{
    return json_object_get(root, "incomplete") != NULL;
}
