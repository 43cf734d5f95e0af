/* SPDX-License-Identifier: MIT */
#include "target/recordings.h"

#include "base/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAME_ROOM = 100, MOST_TRIES = 10000 };

/* --- a new one ----------------------------------------------------------------- */

/* The program's last name, as the name of a file: nothing hidden, nothing a shell minds. */
static void program_name(char name[NAME_ROOM], const char *program)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+.-";
    const char *slash = strrchr(program, '/');
    snprintf(name, NAME_ROOM, "%s", slash ? slash + 1 : program);
    for (char *at = name; *at; at++)
        if (!strchr(plain, *at) || (at == name && (*at == '.' || *at == '-')))
            *at = '_';
    if (!*name)
        snprintf(name, NAME_ROOM, "program");
}

static uint64_t highest_number(const char *name)
{
    uint64_t highest = 0;
    DIR *all = opendir(RECORDINGS);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        uint64_t number = recordings_number(entry->d_name, name);
        if (number > highest)
            highest = number;
    }
    if (all)
        closedir(all);
    return highest;
}

static int make_numbered(char path[PATH_MAX], const char *name)
{
    uint64_t number = highest_number(name);
    for (unsigned tries = 0; tries < MOST_TRIES; tries++) {
        number++; /* another preplay may have taken it just now */
        snprintf(path, PATH_MAX, RECORDINGS "/%s-%llu", name, (unsigned long long)number);
        if (mkdir(path, FILES_DIRECTORY_MODE) == 0)
            return 0;
        if (errno != EEXIST)
            return -1;
    }
    return -1;
}

int recordings_make(char path[PATH_MAX], const char *program, const struct recordings_rule *rule,
                    struct trace_lock *lock, struct error *error)
{
    char name[NAME_ROOM];
    struct stat status;
    program_name(name, program);
    if (mkdir(RECORDINGS, FILES_DIRECTORY_MODE) && errno != EEXIST)
        return error_set(error, ERROR_USAGE,
                         RECORDINGS ": cannot be made: %s; choose a directory with -d",
                         strerror(errno));
    if (stat(RECORDINGS, &status) || !S_ISDIR(status.st_mode))
        return error_set(error, ERROR_USAGE,
                         RECORDINGS " is in the way: it is no directory; choose one with -d");
    if (make_numbered(path, name))
        return error_set(error, ERROR_USAGE, "%s: cannot be made: %s; choose a directory with -d",
                         path, strerror(errno));
    if (trace_lock_alone(lock, path, error))
        return -1;
    trace_lock_open_up(lock);
    recordings_prune(rule, path);
    return 0;
}

/* --- latest -------------------------------------------------------------------- */

void recordings_point_to(const char *path)
{
    static const char place[] = RECORDINGS "/" RECORDINGS_LATEST;
    char beside[sizeof place + 32];
    struct stat status;
    if (strncmp(path, RECORDINGS "/", sizeof RECORDINGS) != 0)
        return;
    /* What somebody else put there stays. */
    if (lstat(place, &status) == 0 && !S_ISLNK(status.st_mode))
        return;
    snprintf(beside, sizeof beside, "%s.new-%d", place, (int)getpid());
    unlink(beside);
    if (symlink(path + sizeof RECORDINGS, beside) || rename(beside, place))
        unlink(beside);
}

static bool ends_with_dot(const char *path)
{
    size_t length = strlen(path);
    return length > 2 && strcmp(path + length - 2, "/.") == 0;
}

int recordings_find(char path[PATH_MAX], const char *trace, struct error *error)
{
    char link[PATH_MAX], name[NAME_MAX + 1];
    struct stat status;
    if (snprintf(path, PATH_MAX, "%s", trace) >= PATH_MAX)
        return error_set(error, ERROR_USAGE, "a path is longer than %d bytes", PATH_MAX);
    snprintf(link, sizeof link, "%.3800s/" RECORDINGS_LATEST, trace);
    ssize_t length = ends_with_dot(trace) ? -1 : readlink(link, name, sizeof name - 1);
    if (length <= 0)
        return 0;
    name[length] = '\0';
    if (strchr(name, '/') || strcmp(name, "..") == 0)
        return error_set(error, ERROR_INPUT, "%s points out of its directory, to %s", link, name);
    size_t plain = strlen(trace);
    while (plain > 1 && trace[plain - 1] == '/')
        plain--;
    snprintf(path, PATH_MAX, "%.*s/%s", (int)(plain < 3800 ? plain : 3800), trace, name);
    if (stat(path, &status))
        return error_set(error, ERROR_INPUT, "%s points to %s, which is gone; name the recording",
                         link, name);
    return 0;
}
