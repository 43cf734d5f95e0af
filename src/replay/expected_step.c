/* SPDX-License-Identifier: MIT */
#include "replay/expected_step.h"

#include "base/files.h"

#include <stdio.h>
#include <string.h>

/* Threads are named before their first step, so one pass does, and another for the name. */
static void find_name(FILE *file, struct expected_step *step)
{
    char line[512], name[128];
    unsigned number;
    snprintf(step->name, sizeof step->name, "%u", step->thread);
    rewind(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "thread %u %127s", &number, name) == 2 && number == step->thread)
            memcpy(step->name, name, sizeof name);
}

bool expected_step_read(struct expected_step *step, const char *path, uint32_t performed)
{
    char line[512];
    FILE *file = files_read(path);
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        bool access = sscanf(line, "access %u %u", &step->thread, &step->index) == 2;
        bool operation =
            sscanf(line, "step %u %u %31s", &step->thread, &step->index, step->op) == 3;
        if (!access && !operation)
            continue;
        if (access)
            snprintf(step->op, sizeof step->op, "an access");
        found = performed-- == 0;
    }
    if (found)
        find_name(file, step);
    if (file)
        fclose(file);
    return found;
}

bool expected_step_thread(struct expected_step *step, const char *path, uint32_t thread)
{
    FILE *file = files_read(path);
    step->thread = thread;
    if (!file)
        return false;
    find_name(file, step);
    fclose(file);
    return true;
}
