/* SPDX-License-Identifier: MIT */
#include "report/merge.h"

#include "base/array.h"
#include "base/intern.h"
#include "report/frames.h"
#include "report/words.h"
#include "report/xml.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct merged {
    json_t *finding; /* of the run that says most */
    uint32_t trace;  /* that run */
    struct runs ARRAY_OF(uint32_t) runs;
};

struct merge {
    struct trace_list ARRAY_OF(json_t *) traces; /* {"path", "events", ...}, by number */
    struct interner *ids;
    struct merged_list ARRAY_OF(struct merged) findings; /* by id */
    json_t *engines;                                     /* by name and model, summed up */
};

struct merge *merge_create(void)
{
    struct merge *self = NEW(struct merge);
    self->ids = interner_create();
    self->engines = json_object();
    return self;
}

void merge_destroy(struct merge *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->traces.count; i++)
        json_decref(self->traces.items[i]);
    for (size_t i = 0; i < self->findings.count; i++) {
        json_decref(self->findings.items[i].finding);
        array_free(&self->findings.items[i].runs);
    }
    array_free(&self->traces);
    array_free(&self->findings);
    interner_destroy(self->ids);
    json_decref(self->engines);
    free(self);
}

static const char *word(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

/* What a verdict is worth: 0 is the most. */
static unsigned rank(const json_t *finding)
{
    static const char *const order[] = {"observed",  "confirmed", "seen-once", "predicted",
                                        "candidate", "diverged",  "unreached", "timeout"};
    const char *verdict = word(finding, "verdict");
    unsigned i = 0;
    while (i < sizeof order / sizeof *order && strcmp(order[i], verdict) != 0)
        i++;
    return i;
}

static bool is_real(const json_t *finding)
{
    return rank(finding) <= 2;
}

/* --- adding --------------------------------------------------------------------------- */

static void add_finding(struct merge *self, json_t *finding, uint32_t trace)
{
    const char *id = word(finding, "id");
    uint32_t number = intern(self->ids, id, strlen(id));
    if (number == self->findings.count)
        array_push(&self->findings,
                   ((struct merged){.finding = json_incref(finding), .trace = trace}));
    struct merged *merged = &self->findings.items[number];
    if (rank(finding) < rank(merged->finding)) {
        json_decref(merged->finding);
        merged->finding = json_incref(finding);
        merged->trace = trace;
    }
    if (!merged->runs.count || array_last(&merged->runs) != trace)
        array_push(&merged->runs, trace);
}

/* Anybody may have written the reports: what has no room is as much as there is. */
static json_t *sum_of(json_int_t a, json_int_t b)
{
    json_int_t sum;
    if (__builtin_add_overflow(a, b, &sum))
        sum = a < 0 ? INT64_MIN : INT64_MAX;
    return json_integer(sum);
}

static void add_numbers(json_t *sum, const json_t *more)
{
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)more, key, value)
    {
        json_t *old = json_object_get(sum, key);
        if (json_is_integer(value))
            json_object_set_new(sum, key,
                                sum_of(json_integer_value(old), json_integer_value(value)));
        else if (json_is_real(value))
            json_object_set_new(sum, key,
                                json_real(json_number_value(old) + json_real_value(value)));
        else
            json_object_set(sum, key, value);
    }
}

static void add_engines(struct merge *self, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *engine = json_array_get(list, i);
        char key[256];
        snprintf(key, sizeof key, "%s %s", word(engine, "name"), word(engine, "model"));
        if (!json_object_get(self->engines, key))
            json_object_set_new(self->engines, key, json_object());
        add_numbers(json_object_get(self->engines, key), engine);
    }
}

int merge_add(struct merge *self, const char *name, const json_t *report, struct error *error)
{
    json_t *findings = json_object_get(report, "findings");
    json_int_t version = json_integer_value(json_object_get(report, "version"));
    if (strcmp(word(report, "format"), "preplay-findings") != 0 || !json_is_array(findings))
        return error_set(error, ERROR_INPUT, "%s: not a report of preplay", name);
    if (version != 2)
        return error_set(error, ERROR_INPUT,
                         "%s: a report of version %lld; this preplay merges version 2: write it "
                         "again with preplay report --json",
                         name, (long long)version);
    for (size_t i = 0; i < json_array_size(findings); i++)
        if (!*word(json_array_get(findings, i), "id"))
            return error_set(error, ERROR_INPUT, "%s: finding %zu has no id", name, i);
    uint32_t trace = (uint32_t)self->traces.count;
    json_t *entry = json_object();
    add_numbers(entry, json_object_get(report, "trace"));
    json_object_set_new(entry, "path", words_json(name));
    if (*word(report, "incomplete"))
        json_object_set_new(entry, "incomplete", words_json(word(report, "incomplete")));
    array_push(&self->traces, entry);
    add_engines(self, json_object_get(report, "engines"));
    for (size_t i = 0; i < json_array_size(findings); i++)
        add_finding(self, json_array_get(findings, i), trace);
    return 0;
}

/* --- telling -------------------------------------------------------------------------- */

static bool leads(const json_t *finding)
{
    const char *group = word(finding, "group");
    return !*group || strcmp(group, word(finding, "id")) == 0;
}

/* Every place of all, or else the root causes. */
static bool is_of(const json_t *finding, enum merge_level level)
{
    unsigned most = level == MERGE_REAL ? 2 : 3;
    return level == MERGE_ALL || (rank(finding) <= most && leads(finding));
}

size_t merge_count(const struct merge *self, enum merge_level level)
{
    size_t count = 0;
    for (size_t i = 0; i < self->findings.count; i++)
        count += is_of(self->findings.items[i].finding, level);
    return count;
}

/* Strongest first, then what most runs have, then by id. */
static int compare_merged(const void *a, const void *b)
{
    const struct merged *x = *(const struct merged *const *)a,
                        *y = *(const struct merged *const *)b;
    if (rank(x->finding) != rank(y->finding))
        return rank(x->finding) < rank(y->finding) ? -1 : 1;
    if (x->runs.count != y->runs.count)
        return x->runs.count > y->runs.count ? -1 : 1;
    return strcmp(word(x->finding, "id"), word(y->finding, "id"));
}

static const struct merged **sorted(const struct merge *self)
{
    const struct merged **list = memory_alloc(self->findings.count + 1, sizeof *list);
    for (size_t i = 0; i < self->findings.count; i++)
        list[i] = &self->findings.items[i];
    qsort(list, self->findings.count, sizeof *list, compare_merged);
    return list;
}

static const char *path_of(const struct merge *self, uint32_t trace)
{
    return word(self->traces.items[trace], "path");
}

static json_t *finding_json(const struct merge *self, const struct merged *merged)
{
    json_t *object = json_copy(merged->finding), *traces = json_array();
    for (size_t i = 0; i < merged->runs.count; i++)
        json_array_append_new(traces, json_integer(merged->runs.items[i]));
    json_object_set_new(object, "trace", words_json(path_of(self, merged->trace)));
    json_object_set_new(object, "runs", json_integer((json_int_t)merged->runs.count));
    json_object_set_new(object, "traces", traces);
    return object;
}

json_t *merge_json(const struct merge *self, bool times)
{
    json_t *sum = json_object(), *traces = json_array(), *engines = json_array(),
           *findings = json_array(), *engine;
    const char *key;
    for (size_t i = 0; i < self->traces.count; i++) {
        json_array_append(traces, self->traces.items[i]);
        add_numbers(sum, self->traces.items[i]);
    }
    json_object_del(sum, "path");
    json_object_del(sum, "incomplete");
    json_object_foreach(self->engines, key, engine)
    {
        json_array_append(engines, engine);
        if (!times)
            json_object_del(engine, "seconds");
    }
    const struct merged **list = sorted(self);
    for (size_t i = 0; i < self->findings.count; i++)
        json_array_append_new(findings, finding_json(self, list[i]));
    free(list);
    return json_pack("{s:s, s:i, s:o, s:o, s:o, s:o}", "format", "preplay-findings", "version", 2,
                     "trace", sum, "traces", traces, "engines", engines, "findings", findings);
}

static void print_places(FILE *out, const json_t *finding)
{
    const json_t *events = json_object_get(finding, "events");
    for (size_t i = 0; i < json_array_size(events); i++) {
        const json_t *event = json_array_get(events, i);
        fprintf(out, "%s%s at %s", i ? ", " : "", word(event, "op"), word(event, "location"));
    }
}

static void print_finding(FILE *out, const struct merge *self, const struct merged *merged)
{
    const json_t *finding = merged->finding;
    fprintf(out, "%s %s", word(finding, "kind"), word(finding, "id"));
    if (*word(finding, "object")) {
        char *name = demangle_short(word(finding, "object"));
        fprintf(out, " on %s", name);
        free(name);
    }
    fprintf(out, ": %s, in %zu of %zu runs\n    ", word(finding, "verdict"), merged->runs.count,
            self->traces.count);
    print_places(out, finding);
    fprintf(out, "\n    from %s\n", path_of(self, merged->trace));
}

size_t merge_incomplete(const struct merge *self)
{
    size_t count = 0;
    for (size_t i = 0; i < self->traces.count; i++)
        count += *word(self->traces.items[i], "incomplete") != '\0';
    return count;
}

void merge_text(FILE *out, const struct merge *self, enum merge_level level)
{
    const struct merged **list = sorted(self);
    size_t others = 0;
    for (size_t i = 0; i < self->findings.count; i++)
        if (is_of(list[i]->finding, level))
            print_finding(out, self, list[i]);
        else
            others++;
    free(list);
    enum merge_level counted = level == MERGE_PREDICTED ? MERGE_PREDICTED : MERGE_REAL;
    fprintf(out, "preplay: %zu %s in %zu runs", merge_count(self, counted),
            counted == MERGE_REAL ? "found" : "found or predicted", self->traces.count);
    if (others)
        fprintf(out, "; %zu more places and predictions not shown (--all)", others);
    if (merge_incomplete(self))
        fprintf(out, "; %zu recordings are incomplete", merge_incomplete(self));
    putc('\n', out);
}

/* What happened in one run, as the content of its failure. */
static size_t write_run(FILE *out, const struct merge *self, uint32_t trace)
{
    size_t count = 0;
    for (size_t i = 0; i < self->findings.count; i++) {
        const struct merged *merged = &self->findings.items[i];
        bool has = false;
        for (size_t k = 0; k < merged->runs.count; k++)
            has |= merged->runs.items[k] == trace;
        if (!has || !is_real(merged->finding) || !leads(merged->finding))
            continue;
        char *text;
        size_t length;
        FILE *one = open_memstream(&text, &length);
        print_finding(one, self, merged);
        fclose(one);
        xml_text(out, text);
        free(text);
        count++;
    }
    return count;
}

void merge_junit(FILE *out, const struct merge *self)
{
    char *cases;
    size_t length, failures = 0;
    FILE *body = open_memstream(&cases, &length);
    for (uint32_t trace = 0; trace < self->traces.count; trace++) {
        char *story;
        size_t story_length;
        FILE *run = open_memstream(&story, &story_length);
        size_t found = write_run(run, self, trace);
        const char *incomplete = word(self->traces.items[trace], "incomplete");
        fclose(run);
        fputs("  <testcase classname=\"preplay\" name=\"", body);
        xml_text(body, path_of(self, trace));
        fputs("\">", body);
        if (found)
            fprintf(body, "<failure message=\"%zu found\">%s</failure>", found, story);
        if (*incomplete) {
            fputs("<error message=\"the recording is incomplete: ", body);
            xml_text(body, incomplete);
            fputs("\"/>", body);
        }
        fputs("</testcase>\n", body);
        failures += found > 0;
        free(story);
    }
    fclose(body);
    fprintf(out,
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            "<testsuite name=\"preplay\" tests=\"%zu\" failures=\"%zu\" errors=\"%zu\">\n%s"
            "</testsuite>\n",
            self->traces.count, failures, merge_incomplete(self), cases);
    free(cases);
}
