/* SPDX-License-Identifier: MIT */
#include "target/trace_removal.h"

#include "target/manifest.h"
#include "target/trace_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* All that a recording's directory may hold. Whoever puts a new file there names it here. */
static const struct {
    const char *name; /* ends with "*": begins with that */
    bool inside;      /* a directory, whatever is in it is ours, too */
} ours[] = {
    {TRACE_LOCK_FILE, false},
    {MANIFEST_FILE, false},
    {MANIFEST_FILE ".new-*", false},
    {"exploration.json", false},
    {"exploration.json.new*", false},
    {"expected", false},
    {"findings.json", false},
    {"findings.json.new*", false},
    {"process", false},
    {"modules", false},
    {"stopped", false},
    {"cmdline", false},
    {"environ", false},
    {"cwd", false},
    {"output", false},
    {"output.check", false},
    {"output-*", false}, /* of runs side by side */
    {"stdin", false},
    {"inputs", false},
    {"atomics", false},
    {"valgrind-*", false},
    {"space", false},
    {"before", true},
    {"streams", true},
    {"replays", true},
    {"runs", true},
    {"cut_off", false},
    {"users", false},
    {"checkpoint", false},
    {"rank", false}, /* of a program of MPI */
    {"rank.new-*", false},
    {"gdb-story", false}, /* of replays of what was explored */
    {"gdb-script", false},
};

static bool matches(const char *name, const char *pattern)
{
    size_t length = strlen(pattern);
    return pattern[length - 1] == '*' ? strncmp(name, pattern, length - 1) == 0
                                      : strcmp(name, pattern) == 0;
}

/* A process of the run: a directory like the whole. */
static bool is_process(const char *name)
{
    return strncmp(name, "process-", 8) == 0 && name[8] &&
           name[8 + strspn(name + 8, "0123456789")] == '\0';
}

static bool is_directory(int directory, const char *name)
{
    struct stat status;
    return fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode);
}

/* A directory where we put a file, or the other way round, is somebody else's. */
static bool is_ours(int directory, const char *name)
{
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (matches(name, ours[i].name))
            return ours[i].inside || !is_directory(directory, name);
    return false;
}

static int open_inside(int directory, const char *name)
{
    return openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Calls for every entry but `.` and `..` until one answers other than 0. */
static int each(int directory, int (*visit)(int directory, const char *name, void *context),
                void *context)
{
    int answer = 0, copy = open_inside(directory, ".");
    DIR *entries = copy >= 0 ? fdopendir(copy) : NULL;
    if (!entries) {
        if (copy >= 0)
            close(copy);
        return -1;
    }
    for (struct dirent *entry; !answer && (entry = readdir(entries));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            answer = visit(directory, entry->d_name, context);
    closedir(entries);
    return answer;
}

/* --- looking ------------------------------------------------------------------- */

static int find_stranger(int directory, const char *name, void *context)
{
    struct trace_content *content = context;
    content->empty = false;
    if (is_process(name)) {
        int inner = open_inside(directory, name);
        if (inner >= 0) {
            int answer = each(inner, find_stranger, content);
            close(inner);
            return answer;
        }
    } else if (is_ours(directory, name)) {
        return 0;
    }
    snprintf(content->stranger, sizeof content->stranger, "%s", name);
    return 1;
}

int trace_removal_look(int directory, struct trace_content *content)
{
    char path[64];
    *content = (struct trace_content){.empty = true};
    snprintf(path, sizeof path, "/proc/self/fd/%d", directory);
    content->marked = manifest_marks(path);
    return each(directory, find_stranger, content) < 0 ? -1 : 0;
}

/* --- removing ------------------------------------------------------------------ */

static int remove_entry(int directory, const char *name, void *context)
{
    (void)context;
    if (unlinkat(directory, name, 0) == 0 || errno == ENOENT)
        return 0;
    if (errno != EISDIR && errno != EPERM)
        return -1;
    int inner = open_inside(directory, name);
    if (inner < 0)
        return -1;
    int answer = each(inner, remove_entry, NULL);
    close(inner);
    return answer ? answer : unlinkat(directory, name, AT_REMOVEDIR);
}

static int remove_ours(int directory, const char *name, void *context)
{
    if (strcmp(name, MANIFEST_FILE) == 0 || strcmp(name, TRACE_LOCK_FILE) == 0)
        return 0;
    return is_process(name) || is_ours(directory, name) ? remove_entry(directory, name, context)
                                                        : 0;
}

int trace_removal_empty(int directory)
{
    if (each(directory, remove_ours, NULL))
        return -1;
    return unlinkat(directory, MANIFEST_FILE, 0) && errno != ENOENT ? -1 : 0;
}
