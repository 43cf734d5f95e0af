/* SPDX-License-Identifier: MIT */
#include "target/writer.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* False as well if there is nothing to read: `empty`. */
static bool environment_has(const char *path, const char *wanted, bool *empty)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t room = 0;
    bool found = false;
    *empty = true;
    while (file && !found && getdelim(&text, &room, '\0', file) > 0) {
        *empty = false;
        found = strcmp(text, wanted) == 0;
    }
    free(text);
    if (file)
        fclose(file);
    return found;
}

/* Once its first thread has ended, only the others tell. */
bool writer_records_into(int process, const char *directory)
{
    char path[512], wanted[PATH_MAX + 32];
    bool empty;
    snprintf(wanted, sizeof wanted, "PREPLAY_RECORD=%s", directory);
    snprintf(path, sizeof path, "/proc/%d/environ", process);
    bool found = environment_has(path, wanted, &empty);
    snprintf(path, sizeof path, "/proc/%d/task", process);
    DIR *threads = empty ? opendir(path) : NULL;
    for (struct dirent *entry; threads && empty && (entry = readdir(threads));) {
        snprintf(path, sizeof path, "/proc/%d/task/%s/environ", process, entry->d_name);
        found = environment_has(path, wanted, &empty);
    }
    if (threads)
        closedir(threads);
    return found;
}
