/* SPDX-License-Identifier: MIT */
#include "trace/finding.h"

#include "base/array.h"
#include "base/map.h"
#include "trace/misuse_rules.h"

#include <xxhash.h>

/* Keys are 64-bit hashes of engine, kind and places. A collision would hide a
 * finding; at 10^6 findings its chance is below 10^-7. */
struct finding_index {
    struct map known;
};

struct findings *findings_create(bool every_pair)
{
    struct findings *findings = NEW(struct findings);
    findings->every_pair = every_pair;
    findings->index = NEW(struct finding_index);
    return findings;
}

static void free_parts(struct finding *finding)
{
    free(finding->events);
    free(finding->witness);
    free((char *)finding->note);
    free((char *)finding->replay);
    consequence_free(&finding->consequence);
}

void findings_destroy(struct findings *findings)
{
    if (!findings)
        return;
    for (size_t i = 0; i < findings->count; i++)
        free_parts(&findings->items[i]);
    free(findings->items);
    map_free(&findings->index->known);
    free(findings->index);
    free(findings);
}

static int compare_words(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static uint64_t place_of(const struct findings *findings, const struct finding_event *event)
{
    if (findings->every_pair)
        return event->pos;
    if (!findings->trace)
        return event->location;
    const char *text = trace_location(findings->trace, event->location);
    return XXH3_64bits(text, strlen(text));
}

static uint64_t key_of(const struct findings *findings, const struct finding *finding)
{
    enum { HEAD = 4, FEW = 12 };
    uint64_t few[HEAD + FEW];
    uint32_t count = finding->event_count;
    uint64_t *words = count <= FEW ? few : memory_alloc(HEAD + count, sizeof *words);
    unsigned misuse = finding->kind == FINDING_MISUSE ? misuse_find(finding->rule) : MISUSE_NONE;
    words[0] = (uint64_t)misuse << 16 | (uint64_t)finding->kind << 8 | finding->error;
    words[1] = (uint64_t)(uintptr_t)finding->engine;
    words[2] = finding->block;
    words[3] = findings->every_pair;
    for (uint32_t i = 0; i < count; i++)
        words[HEAD + i] = place_of(findings, &finding->events[i]);
    qsort(words + HEAD, count, sizeof *words, compare_words);
    uint64_t key = XXH3_64bits(words, (HEAD + count) * sizeof *words);
    if (words != few)
        free(words);
    return key == UINT64_MAX ? 0 : key;
}

bool findings_is_new(const struct findings *findings, const struct finding *finding)
{
    return !map_find(&findings->index->known, key_of(findings, finding));
}

static struct finding copy_of(const struct finding *finding)
{
    struct finding copy = *finding;
    copy.events = memory_copy(finding->events, finding->event_count * sizeof *finding->events);
    if (finding->witness)
        copy.witness =
            memory_copy(finding->witness, finding->witness_length * sizeof *finding->witness);
    if (finding->note)
        copy.note = memory_copy(finding->note, strlen(finding->note) + 1);
    if (finding->replay)
        copy.replay = memory_copy(finding->replay, strlen(finding->replay) + 1);
    copy.consequence = consequence_copy(&finding->consequence);
    if (!copy.rule)
        copy.rule = finding_rule_of_events(finding);
    return copy;
}

struct finding *findings_add(struct findings *findings, const struct finding *finding)
{
    bool added;
    uint64_t *number = map_at(&findings->index->known, key_of(findings, finding), &added);
    if (!added)
        return NULL;
    *number = findings->count;
    array_push(findings, copy_of(finding));
    return &array_last(findings);
}

static struct finding *find_same(const struct findings *findings, const struct finding *finding)
{
    const uint64_t *number = map_find(&findings->index->known, key_of(findings, finding));
    return number ? &findings->items[*number] : NULL;
}

bool findings_is_unproven(const struct findings *findings, const struct finding *finding)
{
    const struct finding *known = find_same(findings, finding);
    return !known || known->model == MODEL_SYNC;
}

struct finding *findings_add_proven(struct findings *findings, const struct finding *finding)
{
    struct finding *known = find_same(findings, finding);
    if (!known)
        return findings_add(findings, finding);
    if (known->model != MODEL_SYNC)
        return NULL;
    free_parts(known);
    *known = copy_of(finding);
    return known;
}

void finding_settle(struct finding *finding, enum verdict verdict, const char *replay)
{
    if (finding->verdict != VERDICT_OBSERVED)
        finding->verdict = verdict;
    free((char *)finding->replay);
    finding->replay = memory_copy(replay, strlen(replay) + 1);
}

static int compare_findings(const void *a, const void *b)
{
    const struct finding *x = a, *y = b;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    uint32_t common = x->event_count < y->event_count ? x->event_count : y->event_count;
    for (uint32_t i = common; i-- > 0;)
        if (x->events[i].pos != y->events[i].pos)
            return x->events[i].pos < y->events[i].pos ? -1 : 1;
    if (x->event_count != y->event_count)
        return x->event_count < y->event_count ? -1 : 1;
    if (x->error != y->error)
        return x->error < y->error ? -1 : 1;
    if (x->block != y->block)
        return x->block < y->block ? -1 : 1;
    return strcmp(x->engine, y->engine);
}

void findings_sort(struct findings *findings)
{
    if (findings->count)
        qsort(findings->items, findings->count, sizeof *findings->items, compare_findings);
}

void finding_event_fill(struct finding_event *out, const struct event *event, uint32_t pos,
                        uint32_t index)
{
    *out = (struct finding_event){
        .thread = event->thread,
        .index = index,
        .pos = pos,
        .location = event->location,
        .stack = event->stack,
        .op = op_performed(event->op),
        .size = event->size,
        .flags = event->flags,
    };
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The places of a finding, sorted; malloc-ed. */
static const char **sorted_places(const struct finding *finding, const struct trace *trace)
{
    const char **places = memory_alloc(finding->event_count, sizeof *places);
    for (uint32_t i = 0; i < finding->event_count; i++)
        places[i] = trace_location(trace, finding->events[i].location);
    qsort(places, finding->event_count, sizeof *places, compare_texts);
    return places;
}

bool finding_same(const struct finding *a, const struct trace *trace_a, const struct finding *b,
                  const struct trace *trace_b)
{
    if (a->kind != b->kind || a->error != b->error || a->event_count != b->event_count)
        return false;
    if (a->kind == FINDING_MISUSE && misuse_find(a->rule) != misuse_find(b->rule))
        return false;
    const char **first = sorted_places(a, trace_a);
    const char **second = sorted_places(b, trace_b);
    bool same = true;
    for (uint32_t i = 0; same && i < a->event_count; i++)
        same = strcmp(first[i], second[i]) == 0;
    free(first);
    free(second);
    return same;
}

const char *finding_kind_text(enum finding_kind kind)
{
    static const char *const texts[] = {"race",    "deadlock", "atomicity",
                                        "failure", "misuse",   "order"};
    return texts[kind];
}

static const char *const model_texts[MODEL_COUNT] = {"none", "sync", "value", "rf", "branch"};

const char *model_text(enum model model)
{
    return model_texts[model];
}

enum model model_parse(const char *text)
{
    for (unsigned model = MODEL_SYNC; model < MODEL_COUNT; model++)
        if (strcmp(text, model_texts[model]) == 0)
            return model;
    return MODEL_COUNT;
}

const char *verdict_text(enum verdict verdict)
{
    static const char *const texts[VERDICT_COUNT] = {
        "candidate", "predicted", "observed", "seen-once", "confirmed",
        "diverged",  "unreached", "timeout",  "advice",
    };
    return texts[verdict];
}

const char *atomicity_error_text(enum atomicity_error error)
{
    static const char *const texts[] = {"none", "before", "in", "after"};
    return texts[error];
}

static bool has_event(const struct finding *finding, uint32_t pos)
{
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (finding->events[i].pos == pos)
            return true;
    return false;
}

bool finding_is_unordered(const struct finding *finding)
{
    return finding_shape(finding) == FINDING_RACE && finding->witness &&
           finding->witness_length > 1 &&
           !has_event(finding, finding->witness[finding->witness_length - 2]);
}

uint32_t finding_ends(const struct finding *finding)
{
    enum finding_kind shape = finding_shape(finding);
    return shape == FINDING_ATOMICITY || shape == FINDING_MISUSE || shape == FINDING_ORDER ||
                   finding_is_unordered(finding)
               ? 0
               : finding->event_count;
}

static const char *const rules[] = {
    "use-after-free", "double-free", "uninitialised", "crash",    "abort",
    "assertion",      "heap",        "sanitizer",     "hang",     "exit-code",
    "output",         "lost-wakeup", "check",         "deadlock",
};

const char *finding_rule_find(const char *text)
{
    for (size_t i = 0; text && i < sizeof rules / sizeof *rules; i++)
        if (strcmp(rules[i], text) == 0)
            return rules[i];
    return misuse_rules[misuse_find(text)].name;
}

const char *finding_rule_of_events(const struct finding *finding)
{
    unsigned frees = 0;
    for (uint32_t i = 0; i < finding->event_count; i++)
        frees += (finding->events[i].flags & EVENT_FREES) != 0;
    if ((finding->kind != FINDING_RACE && finding->kind != FINDING_ORDER) || !frees)
        return NULL;
    return finding_rule_find(frees == 2 ? "double-free" : "use-after-free");
}
