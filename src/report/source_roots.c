/* SPDX-License-Identifier: MIT */
#include "report/source_roots.h"

#include "base/array.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

struct source_root {
    char *path;
    bool named; /* by the user: anything below it */
};

struct source_roots {
    struct known_roots ARRAY_OF(struct source_root) items;
    uint32_t seen; /* build directories of the trace so far */
    const struct trace *trace;
};

/* Is `path` the directory, or below it? */
static bool is_below(const char *path, const char *directory)
{
    size_t length = strlen(directory);
    return strncmp(path, directory, length) == 0 &&
           (length == 1 || !path[length] || path[length] == '/');
}

/* --- directories that nobody builds in --------------------------------------------- */

static bool is_home(const char *path, const char *home)
{
    char real[PATH_MAX];
    return home && realpath(home, real) && is_below(real, path);
}

/* The system's, somebody's home, or what such things lie in. */
static bool is_private(const char *path)
{
    static const char *const whole[] = {"/etc", "/proc", "/sys", "/dev", "/boot", "/run"};
    static const char *const alone[] = {"/",    "/var", "/var/lib", "/var/log", "/usr", "/home",
                                        "/opt", "/srv", "/mnt",     "/media",   "/root"};
    const struct passwd *user = getpwuid(geteuid());
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (is_below(path, whole[i]))
            return true;
    for (size_t i = 0; i < sizeof alone / sizeof *alone; i++)
        if (strcmp(path, alone[i]) == 0)
            return true;
    return strstr(path, "/.") || is_home(path, getenv("HOME")) ||
           is_home(path, user ? user->pw_dir : NULL);
}

/* --- how far a project reaches ------------------------------------------------------ */

static bool has(const char *directory, const char *name)
{
    char path[PATH_MAX + 32];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

static bool is_of_project(const char *directory)
{
    static const char *const marks[] = {
        ".git",        ".hg",       ".svn",         "CMakeLists.txt", "meson.build",
        "configure",   "Makefile",  "configure.ac", "Makefile.am",    "CMakeCache.txt",
        "build.ninja", "WORKSPACE", "MODULE.bazel"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++)
        if (has(directory, marks[i]))
            return true;
    return false;
}

static void climb(char path[PATH_MAX])
{
    char above[PATH_MAX];
    for (;;) {
        memcpy(above, path, PATH_MAX);
        char *last = strrchr(above, '/');
        if (!last || last == above)
            return;
        *last = '\0';
        if (is_private(above) || !is_of_project(above))
            return;
        memcpy(path, above, PATH_MAX);
    }
}

/* --- the roots ----------------------------------------------------------------------- */

static void add(struct source_roots *self, const char *path, bool named)
{
    char real[PATH_MAX];
    if (!*path || !realpath(path, real) || (!named && is_private(real)))
        return;
    if (!named)
        climb(real);
    for (size_t i = 0; i < self->items.count; i++)
        if (strcmp(self->items.items[i].path, real) == 0)
            return;
    struct source_root root = {memory_copy(real, strlen(real) + 1), named};
    array_push(&self->items, root);
}

struct source_roots *source_roots_create(const char *named)
{
    struct source_roots *self = NEW(struct source_roots);
    while (named && *named) {
        char path[PATH_MAX];
        size_t length = strcspn(named, ":");
        snprintf(path, sizeof path, "%.*s", (int)(length < PATH_MAX ? length : 0), named);
        add(self, path, true);
        named += length + (named[length] == ':');
    }
    return self;
}

void source_roots_destroy(struct source_roots *self)
{
    for (size_t i = 0; self && i < self->items.count; i++)
        free(self->items.items[i].path);
    if (self)
        array_free(&self->items);
    free(self);
}

void source_roots_add(struct source_roots *self, const struct trace *trace)
{
    if (self->trace != trace)
        self->seen = 0;
    self->trace = trace;
    for (const char *path; (path = trace_build_directory(trace, self->seen)); self->seen++)
        add(self, path, false);
}

static bool is_public(const char *path)
{
    struct stat status;
    return is_below(path, "/usr") && stat(path, &status) == 0 && status.st_mode & S_IROTH;
}

bool source_roots_allow(const struct source_roots *self, const char *path)
{
    for (size_t i = 0; i < self->items.count; i++) {
        const struct source_root *root = &self->items.items[i];
        if (is_below(path, root->path) && (root->named || !strstr(path + strlen(root->path), "/.")))
            return true;
    }
    return is_public(path);
}
