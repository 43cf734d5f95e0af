/* SPDX-License-Identifier: MIT */
#include "target/users.h"

#include "base/files.h"
#include "target/processes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 1 << 20 };

struct change {
    bool found;
    unsigned user, group;
};

static void look(void *context, const char *directory)
{
    struct change *self = context;
    char path[PATH_MAX];
    size_t length;
    snprintf(path, sizeof path, "%.4000s/users", directory);
    char *text = self->found ? NULL : files_load(path, LONGEST, &length);
    char *rest = text;
    for (const char *line; text && (line = strsep(&rest, "\n"));) /* the last one counts */
        self->found |= sscanf(line, "%u %u", &self->user, &self->group) == 2;
    free(text);
}

bool users_changed(const char *recording, char *why, size_t size)
{
    struct change change = {0};
    processes_each(recording, look, &change);
    if (change.found)
        snprintf(why, size,
                 "it became user %u of group %u, which it cannot in a user namespace, and "
                 "no other is allowed here",
                 change.user, change.group);
    return change.found;
}
