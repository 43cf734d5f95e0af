#include "engine/blame.h"

#include "base/array.h"

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

char *blame_text(struct blocks *blocks, const struct trace *trace, const uint32_t *labels,
                 uint32_t count, const char *rest, uint32_t *innermost)
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
    fputs(rest ? rest : "", stream);
    fclose(stream);
    if (any)
        return text;
    free(text);
    return NULL;
}

void blame_show(const struct blame *blame, struct blocks *blocks, struct engine_run *run)
{
    for (size_t i = 0; i < blame->findings->count; i++) {
        struct finding finding = blame->findings->items[i];
        const struct labels *labels = &blame->labels.items[i];
        char *note = blame_text(blocks, run->trace, labels->items, labels->count, finding.note,
                                &finding.block);
        finding.note = note;
        if (note)
            findings_add(run->findings, &finding);
        free(note);
    }
}
