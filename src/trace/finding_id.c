/* SPDX-License-Identifier: MIT */
#include "trace/finding_id.h"

#include "base/memory.h"
#include "trace/misuse_rules.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

enum { DIGITS = 10, FEWEST_DIGITS = 4 };

/* Not the object: a finding is a tuple of places, and which of the objects that are reached there
 * comes first differs from run to run. */
static uint64_t hash_of_event(const struct trace *trace, const struct finding_event *event)
{
    const char *place = trace_identity(trace, event->location);
    return XXH3_64bits_withSeed(place, strlen(place) + 1, event->op);
}

static int compare_hashes(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

void finding_id(const struct finding *finding, const struct trace *trace, char id[FINDING_ID_SIZE])
{
    uint64_t *hashes = memory_alloc(finding->event_count, sizeof *hashes);
    for (uint32_t i = 0; i < finding->event_count; i++)
        hashes[i] = hash_of_event(trace, &finding->events[i]);
    qsort(hashes, finding->event_count, sizeof *hashes, compare_hashes);
    uint64_t misuse = finding->kind == FINDING_MISUSE ? misuse_find(finding->rule) : MISUSE_NONE;
    uint64_t hash =
        XXH3_64bits_withSeed(hashes, finding->event_count * sizeof *hashes,
                             misuse << 16 | (uint64_t)finding->kind << 8 | finding->error);
    free(hashes);
    snprintf(id, FINDING_ID_SIZE, "%c-%0*" PRIx64, finding_kind_text(finding->kind)[0], DIGITS,
             hash >> (64 - 4 * DIGITS));
}

bool finding_id_is(const char *word)
{
    size_t digits = word[0] && word[1] == '-' ? strspn(word + 2, "0123456789abcdef") : 0;
    return word[0] >= 'a' && word[0] <= 'z' && digits >= FEWEST_DIGITS && digits <= DIGITS &&
           !word[2 + digits];
}

bool finding_id_means(const char *word, const char *id)
{
    return strcmp(word, id) == 0 || (finding_id_is(word) && strncmp(word, id, strlen(word)) == 0);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void finding_line_id(const struct finding *finding, const struct trace *trace,
                     char id[FINDING_ID_SIZE])
{
    const char **places = memory_alloc(finding->event_count, sizeof *places);
    for (uint32_t i = 0; i < finding->event_count; i++)
        places[i] = trace_stable_location(trace, finding->events[i].location);
    qsort(places, finding->event_count, sizeof *places, compare_texts);
    uint64_t hash = (uint64_t)finding->kind << 8 | finding->error;
    for (uint32_t i = 0; i < finding->event_count; i++)
        hash = XXH3_64bits_withSeed(places[i], strlen(places[i]) + 1, hash);
    free(places);
    snprintf(id, FINDING_ID_SIZE, "%c-%06x", finding_kind_text(finding->kind)[0],
             (unsigned)(hash & 0xffffff));
}
