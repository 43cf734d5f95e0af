#include "figures.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void words_sort(struct words *words)
{
    if (words->count)
        qsort(words->items, words->count, sizeof *words->items, compare_words);
}

void words_free(struct words *words)
{
    for (size_t i = 0; i < words->count; i++)
        free(words->items[i]);
    array_free(words);
}

void figures_list(struct words *names)
{
    DIR *directory = opendir(TRACES);
    assert_non_null(directory);
    for (struct dirent *entry; (entry = readdir(directory));) {
        const char *ending = strstr(entry->d_name, ".verdict");
        if (ending)
            array_push(names, strndup(entry->d_name, (size_t)(ending - entry->d_name)));
    }
    closedir(directory);
    words_sort(names);
}

char *figure_verdict(const char *name, const char *key)
{
    char path[1024], line[4096], *value = NULL;
    size_t length = strlen(key);
    snprintf(path, sizeof path, "%s/%s.verdict", TRACES, name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (!value && fgets(line, sizeof line, file)) {
        if (strncmp(line, key, length) || line[length] != ':')
            continue;
        line[strcspn(line, "\n")] = 0;
        char *mark = strstr(line, " derived");
        if (mark)
            *mark = 0;
        value = strdup(line + length + 1 + strspn(line + length + 1, " "));
    }
    fclose(file);
    return value;
}

/* What stands after the last " @" of each line; else the line's number. */
static void read_places(struct words *places, const char *path)
{
    char line[4096], number[16];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        const char *place = strstr(line, " @");
        snprintf(number, sizeof number, "%zu", places->count + 1);
        array_push(places, strdup(place ? place + 2 : number));
    }
    fclose(file);
}

void figure_open(struct figure *figure, const char *name, const char *ending,
                 const char *recordings)
{
    struct error error = {0};
    char path[1024];
    *figure = (struct figure){0};
    snprintf(path, sizeof path, "%s/%s.%s", TRACES, name, ending);
    if (recordings) {
        read_places(&figure->places, path);
        snprintf(path, sizeof path, "%s/%s/data", recordings, name);
    }
    figure->trace = trace_open(path, &error);
    if (!figure->trace)
        fail_msg("%s", error.text);
}

void figure_close(struct figure *figure)
{
    trace_close(figure->trace);
    words_free(&figure->places);
}

const char *figure_place(const struct figure *figure, uint32_t location)
{
    const char *text = trace_location(figure->trace, location);
    if (!figure->places.count)
        return text;
    const char *file = strrchr(text, '/');
    const char *colon = strchr(file ? file : text, ':'); /* FILE:LINE:COLUMN */
    size_t line = colon ? strtoul(colon + 1, NULL, 10) : 0;
    return line && line <= figure->places.count ? figure->places.items[line - 1] : text;
}
