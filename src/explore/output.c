/* SPDX-License-Identifier: MIT */
#include "explore/output.h"

#include "base/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PART ((size_t)1 << 16)

void output_of_check(char path[PATH_MAX], const char *output)
{
    snprintf(path, PATH_MAX, "%.4000s.check", output);
}

static int copy(FILE *from, FILE *to)
{
    char part[PART];
    size_t got;
    while ((got = fread(part, 1, sizeof part, from)) > 0)
        if (fwrite(part, 1, got, to) != got)
            return -1;
    return ferror(from) ? -1 : 0;
}

int output_keep(const char *output, const char *expected, struct error *error)
{
    struct new_file file;
    FILE *from = files_read(output);
    if (!from)
        return error_set(error, ERROR_INPUT, "%s: %s", output, files_reason(errno));
    int result = files_begin(&file, expected, error);
    if (!result && copy(from, file.stream)) {
        files_abandon(&file);
        result = error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", expected,
                           strerror(errno));
    } else if (!result) {
        result = files_commit(&file, error);
    }
    fclose(from);
    return result;
}

/* At the first byte that differs; LONG_MAX if none does. */
static long find_difference(FILE *a, FILE *b, unsigned long *line, long *line_begin)
{
    *line = 1;
    *line_begin = 0;
    for (long at = 0;; at++) {
        int left = getc_unlocked(a), right = getc_unlocked(b);
        if (left != right)
            return at;
        if (left == EOF)
            return LONG_MAX;
        if (left == '\n') {
            ++*line;
            *line_begin = at + 1;
        }
    }
}

/* The line that begins there. */
static void read_line(FILE *file, long begin, char *line, int size)
{
    *line = '\0';
    if (fseek(file, begin, SEEK_SET) == 0 && !fgets(line, size, file))
        *line = '\0';
    line[strcspn(line, "\n")] = '\0';
}

static void describe(FILE *expected, FILE *output, unsigned long line, long begin, char *text,
                     size_t size)
{
    char wanted[100], found[100];
    read_line(expected, begin, wanted, sizeof wanted);
    read_line(output, begin, found, sizeof found);
    snprintf(text, size, "line %lu: \"%s\" instead of \"%s\"", line, found, wanted);
}

bool output_differs(const char *expected, const char *output, char *text, size_t size)
{
    unsigned long line;
    long begin, at = LONG_MAX;
    FILE *a = files_read(expected), *b = a ? files_read(output) : NULL;
    if (a && b)
        at = find_difference(a, b, &line, &begin);
    if (at != LONG_MAX)
        describe(a, b, line, begin, text, size);
    if (a)
        fclose(a);
    if (b)
        fclose(b);
    return at != LONG_MAX;
}
