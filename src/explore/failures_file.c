/* SPDX-License-Identifier: MIT */
#include "explore/failures_file.h"

#include "base/files.h"

#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FILE_LIMIT ((size_t)1 << 28)

static void path_in(const char *directory, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%.4000s/exploration.json", directory);
}

bool failures_file_is_in(const char *directory)
{
    char path[PATH_MAX];
    path_in(directory, path);
    return access(path, F_OK) == 0;
}

static bool is_number(json_int_t number)
{
    return number >= 0 && number <= UINT32_MAX;
}

static bool read_turn(const json_t *turn, struct step_turn *result)
{
    const char *thread;
    json_int_t count, waiter;
    if (json_unpack((json_t *)turn, "[s, I, I]", &thread, &count, &waiter) || !is_number(count) ||
        !is_number(waiter))
        return false;
    *result = (struct step_turn){
        .thread = strtoull(thread, NULL, 16), .count = (uint32_t)count, .waiter = (uint32_t)waiter};
    return true;
}

static int read_failure(struct failure *failure, const json_t *json, const char *path,
                        struct error *error)
{
    const json_t *turn, *schedule = json_object_get(json, "schedule");
    const char *id = json_string_value(json_object_get(json, "id"));
    json_int_t run = 0, preemptions = 0;
    size_t i;
    if (!id || json_array_size(schedule) > STEPPER_TURNS)
        return error_set(error, ERROR_INPUT, "%s: a failure without id, or with too many turns",
                         path);
    const char *identity = json_string_value(json_object_get(json, "identity"));
    snprintf(failure->id, sizeof failure->id, "%s", id);
    snprintf(failure->identity, sizeof failure->identity, "%s", identity ? identity : "");
    json_unpack((json_t *)json, "{s:I, s:I}", "run", &run, "preemptions", &preemptions);
    failure->run = is_number(run) ? (uint32_t)run : 0;
    failure->preemptions = is_number(preemptions) ? (uint32_t)preemptions : 0;
    json_array_foreach(schedule, i, turn)
    {
        struct step_turn one;
        if (!read_turn(turn, &one))
            return error_set(error, ERROR_INPUT, "%s: turn %zu of %s is malformed", path, i,
                             failure->id);
        array_push(&failure->turns, one);
    }
    return 0;
}

static int read_failures(struct kept_failures *failures, const json_t *root, const char *path,
                         struct error *error)
{
    const json_t *one;
    size_t i;
    const char *check = NULL;
    int same_output = 0;
    json_unpack((json_t *)root, "{s:{s:i, s?:s, s?:b}}", "exploration", "usual", &failures->usual,
                "check", &check, "same_output", &same_output);
    failures->check = check ? strdup(check) : NULL;
    failures->same_output = same_output;
    json_array_foreach(json_object_get(root, "findings"), i, one)
    {
        if (json_is_object(one) && !json_object_get(one, "schedule"))
            continue; /* of a run that did not fail */
        array_grow(failures, failures->count + 1);
        if (read_failure(&array_last(failures), one, path, error))
            return -1;
    }
    return 0;
}

int failures_file_read(struct kept_failures *failures, const char *directory, struct error *error)
{
    char path[PATH_MAX];
    size_t length;
    json_error_t where;
    *failures = (struct kept_failures){0};
    path_in(directory, path);
    char *text = files_load(path, FILE_LIMIT, &length);
    if (!text)
        return error_set(error, ERROR_INPUT, "%s: %s", path, files_reason(errno));
    json_t *root = json_loadb(text, length, 0, &where);
    free(text);
    if (!root)
        return error_set(error, ERROR_INPUT, "%s: line %d: %s", path, where.line, where.text);
    int result = read_failures(failures, root, path, error);
    json_decref(root);
    if (result)
        failures_file_free(failures);
    return result;
}

void failures_file_free(struct kept_failures *failures)
{
    for (size_t i = 0; i < failures->count; i++)
        failure_free(&failures->items[i]);
    array_free(failures);
    free(failures->check);
    failures->check = NULL;
}
