/* SPDX-License-Identifier: MIT */
#include "atomicity/blame.h"

#include "base/array.h"
#include "base/map.h"

#include <stdio.h>
#include <stdlib.h>

struct labels {
    uint32_t *items;
    uint32_t count;
};

struct blame {
    struct findings *findings;
    struct blame_labels ARRAY_OF(struct labels) labels; /* parallel to the findings */
};

struct blame *blame_create(bool every_pair)
{
    struct blame *blame = NEW(struct blame);
    blame->findings = findings_create(every_pair);
    return blame;
}

void blame_destroy(struct blame *blame)
{
    if (!blame)
        return;
    for (size_t i = 0; i < blame->labels.count; i++)
        free(blame->labels.items[i].items);
    array_free(&blame->labels);
    findings_destroy(blame->findings);
    free(blame);
}

bool blame_is_new(const struct blame *blame, const struct finding *finding)
{
    return findings_is_new(blame->findings, finding);
}

void blame_add(struct blame *blame, const struct finding *finding, const uint32_t *labels,
               uint32_t count)
{
    if (!findings_add(blame->findings, finding))
        return;
    struct labels copy = {memory_copy(labels, count * sizeof *labels), count};
    array_push(&blame->labels, copy);
}

/* A trace is hostile until the end: stacks that go round in circles end here. */
static uint32_t outer_stack(const void *trace, uint32_t stack)
{
    uint32_t location, outer;
    return trace_caller(trace, stack, &location, &outer) && outer < stack ? outer : 0;
}

/* The functions of the common prefix of two call stacks, outermost first. */
static void write_functions(FILE *out, const struct trace *trace, struct blame_window window,
                            const char *block)
{
    enum { DEEPEST = 64 };
    const char *names[DEEPEST];
    uint32_t common = stack_common(window.begin->stack, window.end->stack, outer_stack, trace);
    uint32_t at = window.begin->stack, location = window.begin->location, depth = 0;
    while (at != common) { /* to the place in the function that the two share */
        uint32_t outer = outer_stack(trace, at);
        if (!trace_caller(trace, at, &location, &at))
            return;
        at = outer;
    }
    do {
        names[depth] = trace_function(trace, location);
        depth += names[depth] != NULL;
        uint32_t outer = outer_stack(trace, at);
        if (!at || !trace_caller(trace, at, &location, &at))
            break;
        at = outer;
    } while (depth < DEEPEST);
    while (depth && blocks_is_runner(names[depth - 1]))
        depth--;
    if (!depth || strcmp(names[0], block) == 0)
        return;
    for (uint32_t i = depth; i-- > 0;)
        fprintf(out, "%s%s%s", i == depth - 1 ? " (functions " : "/", names[i], i ? "" : ")");
}

char *blame_text(struct blocks *blocks, const struct trace *trace, const uint32_t *labels,
                 uint32_t count, struct blame_window window, const char *rest, uint32_t *innermost)
{
    char *text = NULL;
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        if (!blocks_atomic(blocks, labels[i]))
            continue;
        fprintf(stream, "%s%s", any ? "/" : "blame ", trace_name(trace, CLASS_LABEL, labels[i]));
        *innermost = labels[i];
        any = true;
    }
    if (any && window.begin->stack && window.end->stack)
        write_functions(stream, trace, window, trace_name(trace, CLASS_LABEL, *innermost));
    fputs(rest ? rest : "", stream);
    fclose(stream);
    if (any)
        return text;
    free(text);
    return NULL;
}

/* The key under which findings on one block with the same two locations of the window are
 * one; two of them alike by chance lose one of 2^63. */
static uint64_t key_of(const struct finding *finding)
{
    uint64_t ends = map_pair(finding->events[0].location, finding->events[1].location);
    return (map_mix(ends) * UINT64_C(0x9e3779b97f4a7c15) ^ map_mix(finding->block)) >> 1;
}

/* What happened says more than what might. */
static bool is_better(const struct finding *a, const struct finding *b)
{
    return a->error == ATOMICITY_IN && b->error != ATOMICITY_IN;
}

void blame_show(const struct blame *blame, struct blocks *blocks, struct engine_run *run)
{
    size_t count = blame->findings->count;
    struct finding *shown = NEW_ARRAY(struct finding, count);
    struct map best = {0}; /* key -> finding, plus one */
    for (size_t i = 0; i < count; i++) {
        shown[i] = blame->findings->items[i];
        const struct labels *labels = &blame->labels.items[i];
        struct blame_window window = {&shown[i].events[0], &shown[i].events[1]};
        shown[i].note = blame_text(blocks, run->trace, labels->items, labels->count, window,
                                   shown[i].note, &shown[i].block);
        if (!shown[i].note || run->options->every_pair)
            continue;
        uint64_t *known = map_at(&best, key_of(&shown[i]), NULL);
        if (!*known || is_better(&shown[i], &shown[*known - 1]))
            *known = i + 1;
    }
    for (size_t i = 0; i < count; i++) {
        if (shown[i].note &&
            (run->options->every_pair || *map_find(&best, key_of(&shown[i])) == i + 1))
            findings_add(run->findings, &shown[i]);
        free((char *)shown[i].note);
    }
    map_free(&best);
    free(shown);
}
