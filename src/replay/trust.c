/* SPDX-License-Identifier: MIT */
#include "replay/trust.h"

#include "base/files.h"
#include "symbols/build_id.h"

#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_ROOM = PATH_MAX + 32 };

static void user_name(char *text, size_t room, uid_t user)
{
    const struct passwd *known = getpwuid(user);
    snprintf(text, room, "%s (%u)", known ? known->pw_name : "user", (unsigned)user);
}

static int check_user(const char *trace_path, struct error *error)
{
    char theirs[128], ours[128];
    struct stat status;
    if (stat(trace_path, &status) || status.st_uid == geteuid())
        return 0;
    user_name(theirs, sizeof theirs, status.st_uid);
    user_name(ours, sizeof ours, geteuid());
    return error_set(error, ERROR_INPUT,
                     "%s: recorded by %s, and you are %s: a replay runs what they chose with your "
                     "rights; --trust does it all the same",
                     trace_path, theirs, ours);
}

/* --- the program and its libraries ------------------------------------------------- */

/* A library may have been made and removed by the program itself. */
static bool is_library(const char *path)
{
    const char *slash = strrchr(path, '/');
    return strstr(slash ? slash : path, ".so") != NULL;
}

static int is_gone(const char *path, const char *recorded, struct error *error)
{
    if (is_library(path))
        return 0;
    return error_set(error, ERROR_INPUT,
                     "%s: the program that was recorded (build-id %s) is not there any more", path,
                     recorded);
}

static int check_build(const char *path, const char *recorded, struct error *error)
{
    char now[BUILD_ID_SIZE];
    if (!build_id_read(path, now))
        return is_gone(path, recorded, error);
    if (strcmp(now, recorded) == 0)
        return 0;
    return error_set(error, ERROR_INPUT,
                     "%s: built again since it was recorded: build-id %s now, %s then; record "
                     "again, or replay all the same with --trust",
                     path, now, recorded);
}

/* A file without a build-id cannot be told from another build of it but by its age. */
static int check_age(const char *path, const struct stat *modules, struct error *error)
{
    struct stat status;
    if (stat(path, &status))
        return is_gone(path, "unknown", error);
    if (status.st_mtim.tv_sec <= modules->st_mtim.tv_sec)
        return 0;
    return error_set(error, ERROR_INPUT,
                     "%s: changed since it was recorded, and it has no build-id to tell whether it "
                     "was built again; record again, or replay all the same with --trust",
                     path);
}

static int check_line(char *line, const struct stat *modules, struct error *error)
{
    char id[BUILD_ID_SIZE];
    int at = 0;
    line[strcspn(line, "\n")] = '\0';
    if (sscanf(line, "%*x %*x %*x %131s %n", id, &at) != 1 || !at || line[at] != '/')
        return 0; /* the kernel's own, or nothing */
    return strcmp(id, "-") == 0 ? check_age(line + at, modules, error)
                                : check_build(line + at, id, error);
}

static int check_modules(const char *trace_path, struct error *error)
{
    char path[PATH_ROOM], line[8192];
    struct stat status;
    snprintf(path, sizeof path, "%s/modules", trace_path);
    FILE *modules = files_read(path);
    int result = 0;
    while (modules && fstat(fileno(modules), &status) == 0 && !result &&
           fgets(line, sizeof line, modules))
        result = check_line(line, &status, error);
    if (modules)
        fclose(modules);
    return result;
}

int trust_check(const char *trace_path, struct error *error)
{
    return check_user(trace_path, error) || check_modules(trace_path, error) ? -1 : 0;
}
