/* SPDX-License-Identifier: MIT */
#include "replay/usual_output.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Bytes of an output that is looked at. */
#define LARGEST ((size_t)8 << 20)

struct lines {
    char *text;
    const char **items; /* sorted */
    size_t count;
};

struct usual_output {
    struct lines common; /* its texts belong to `first` */
    struct lines first;
    bool varies; /* the two replays printed different lines */
};

static int compare_lines(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool read_lines(struct lines *lines, const char *path)
{
    struct stat status;
    FILE *file = fopen(path, "re");
    *lines = (struct lines){0};
    if (!file || fstat(fileno(file), &status) || (size_t)status.st_size > LARGEST) {
        if (file)
            fclose(file);
        return false;
    }
    size_t size = (size_t)status.st_size;
    lines->text = memory_alloc(size + 1, 1);
    size = fread(lines->text, 1, size, file);
    fclose(file);
    lines->text[size] = 0;
    lines->items = memory_alloc(size + 1, sizeof *lines->items);
    for (size_t at = 0; at < size;) {
        char *line = lines->text + at;
        char *end = memchr(line, '\n', size - at);
        lines->items[lines->count++] = line; /* what follows a zero byte is not looked at */
        if (end)
            *end = 0;
        at = end ? (size_t)(end + 1 - lines->text) : size;
    }
    qsort(lines->items, lines->count, sizeof *lines->items, compare_lines);
    return true;
}

static void free_lines(struct lines *lines)
{
    free(lines->text);
    free(lines->items);
}

/* Both are sorted. Calls come in order: what only `a` has, only `b`, or both. */
static void walk(const struct lines *a, const struct lines *b, const char **only_a,
                 const char **only_b, struct lines *both)
{
    size_t i = 0, k = 0;
    while (i < a->count || k < b->count) {
        int order = i == a->count ? 1 : k == b->count ? -1 : strcmp(a->items[i], b->items[k]);
        if (order == 0 && both)
            both->items[both->count++] = a->items[i];
        if (order < 0 && only_a && !*only_a)
            *only_a = a->items[i];
        if (order > 0 && only_b && !*only_b)
            *only_b = b->items[k];
        i += order <= 0;
        k += order >= 0;
    }
}

struct usual_output *usual_output_create(const char *first, const char *second)
{
    struct usual_output *usual = NEW(struct usual_output);
    struct lines other = {0};
    const char *more = NULL, *less = NULL;
    if (!read_lines(&usual->first, first) || !read_lines(&other, second)) {
        free_lines(&other);
        usual_output_destroy(usual);
        return NULL;
    }
    usual->common.items = memory_alloc(usual->first.count + 1, sizeof *usual->common.items);
    walk(&usual->first, &other, &more, &less, &usual->common);
    usual->varies = more || less;
    free_lines(&other);
    return usual;
}

void usual_output_destroy(struct usual_output *usual)
{
    if (!usual)
        return;
    free(usual->common.items);
    free_lines(&usual->first);
    free(usual);
}

bool usual_output_differs(const struct usual_output *usual, const char *file, char *text,
                          size_t room)
{
    struct lines lines;
    const char *missing = NULL, *more = NULL;
    if (!read_lines(&lines, file))
        return false;
    walk(&usual->common, &lines, &missing, &more, NULL);
    bool differs = missing || (more && !usual->varies);
    if (differs && missing && more && !usual->varies)
        snprintf(text, room, "it prints \"%.80s\" instead of \"%.80s\"", more, missing);
    else if (differs && missing)
        snprintf(text, room, "it does not print \"%.80s\"", missing);
    else if (differs)
        snprintf(text, room, "it also prints \"%.80s\"", more);
    free_lines(&lines);
    return differs;
}
