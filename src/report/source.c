/* SPDX-License-Identifier: MIT */
#include "report/source.h"

#include "base/array.h"
#include "base/files.h"
#include "base/intern.h"
#include "base/md5.h"
#include "report/frames.h"
#include "report/report.h"
#include "report/source_roots.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 16 << 20 };

struct source_file {
    char *text; /* NULL: cannot be read */
    struct lines ARRAY_OF(const char *) lines;
};

struct sources {
    const struct report *report;
    struct source_roots *roots;
    struct interner *paths;
    struct files ARRAY_OF(struct source_file) files; /* by path id */
};

struct sources *sources_create(const struct report *report)
{
    struct sources *self = NEW(struct sources);
    self->report = report;
    self->roots = source_roots_create(report->source_roots);
    self->paths = interner_create();
    return self;
}

void sources_destroy(struct sources *self)
{
    if (!self)
        return;
    for (size_t i = 0; i < self->files.count; i++) {
        free(self->files.items[i].text);
        array_free(&self->files.items[i].lines);
    }
    array_free(&self->files);
    interner_destroy(self->paths);
    source_roots_destroy(self->roots);
    free(self);
}

static bool is_vouched_for(const struct sources *self, const char *real)
{
    if (source_roots_allow(self->roots, real))
        return true;
    for (const struct report *report = self->report; report; report = report->next)
        source_roots_add(self->roots, report->trace);
    return source_roots_allow(self->roots, real);
}

/* Wherever it lies, it is what the program was made from. */
static bool has_known_checksum(const struct sources *self, const char *text, size_t size)
{
    uint8_t sum[MD5_BYTES];
    md5(text, size, sum);
    for (const struct report *report = self->report; report; report = report->next)
        if (report->trace && trace_vouches_for(report->trace, sum))
            return true;
    return false;
}

/* All of a regular file, which ends with a NUL; NULL. */
static char *load(const char *path, size_t *size)
{
    struct stat status;
    char *text = NULL;
    FILE *file = files_read(path);
    if (file && fstat(fileno(file), &status) == 0 && S_ISREG(status.st_mode) &&
        status.st_size < LARGEST_FILE) {
        text = memory_zero((size_t)status.st_size + 1, 1);
        *size = fread(text, 1, (size_t)status.st_size, file);
    }
    if (file)
        fclose(file);
    return text;
}

static char *load_source(const struct sources *self, const char *path, size_t *size)
{
    char real[PATH_MAX];
    if (!realpath(path, real))
        return NULL;
    char *text = load(real, size);
    if (!text || is_vouched_for(self, real) || has_known_checksum(self, text, *size))
        return text;
    free(text);
    return NULL;
}

static void read_file(const struct sources *self, struct source_file *into, const char *path)
{
    char other[PATH_MAX];
    size_t size = 0;
    into->text = load_source(self, path, &size);
    if (!into->text && self->report->directory && *path != '/' &&
        snprintf(other, sizeof other, "%s/%s", self->report->directory, path) < (int)sizeof other)
        into->text = load_source(self, other, &size);
    if (!into->text)
        return;
    if (memchr(into->text, '\0', size)) /* no text */
        return;
    char *rest = into->text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        size_t length = strlen(line);
        if (length && line[length - 1] == '\r')
            line[length - 1] = '\0';
        array_push(&into->lines, line);
    }
}

const char *sources_line(struct sources *self, const char *place, int offset)
{
    size_t length;
    long line = (long)place_line(place, &length) + offset;
    char path[PATH_MAX];
    if (line < 1 || line == offset || length >= sizeof path)
        return NULL;
    memcpy(path, place, length);
    path[length] = '\0';
    uint32_t id = intern(self->paths, path, length);
    if (id >= self->files.count) {
        array_grow(&self->files, id + 1);
        read_file(self, &self->files.items[id], path);
    }
    const struct source_file *file = &self->files.items[id];
    return (size_t)line <= file->lines.count ? file->lines.items[line - 1] : NULL;
}
