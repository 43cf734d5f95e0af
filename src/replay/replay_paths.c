/* SPDX-License-Identifier: MIT */
#include "replay/replay_paths.h"

#include "base/files.h"
#include "replay/watch.h"
#include "target/trace_lock.h"
#include "target/trace_removal.h"
#include "trace/turns.h"
#include "trace/finding_id.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int replay_paths_make(struct replay_paths *paths, const struct history *history, const char *name,
                      unsigned lane, struct error *error)
{
    char real[PATH_MAX], directory[REPLAY_PATH], id[FINDING_ID_SIZE + 24];
    const char *trace_path = history->trace->path;
    int length = snprintf(id, sizeof id, "%.20s", name);
    if (lane)
        snprintf(id + length, 12, ".%u", lane);
    if (!realpath(trace_path, real))
        return error_set(error, ERROR_INPUT, "%s: %s", trace_path, strerror(errno));
    snprintf(directory, sizeof directory, "%s/replays", real);
    if (files_make_directory(directory))
        return error_set(error, ERROR_INTERNAL, "%s: cannot be made: %s", directory,
                         strerror(errno));
    snprintf(paths->schedule, REPLAY_PATH, "%.4080s/%s.schedule", directory, id);
    snprintf(paths->control, REPLAY_PATH, "%.4080s/%s.control", directory, id);
    snprintf(paths->output, REPLAY_PATH, "%.4080s/%s.output", directory, id);
    snprintf(paths->record, REPLAY_PATH, "%.4080s/%s", directory, id);
    snprintf(paths->story, REPLAY_PATH, "%.4080s/%s.story", directory, id);
    snprintf(paths->script, REPLAY_PATH, "%.4080s/%s.gdb", directory, id);
    snprintf(paths->input, REPLAY_PATH, "%.4080s/stdin", real);
    snprintf(paths->inputs, REPLAY_PATH, "%.4080s/inputs", real);
    int input = files_open(paths->input);
    if (input >= 0)
        close(input);
    else
        snprintf(paths->input, REPLAY_PATH, "/dev/null");
    return 0;
}

void replay_remove_record(const char *record)
{
    int directory = open(record, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return;
    trace_removal_empty(directory);
    unlinkat(directory, TRACE_LOCK_FILE, 0);
    close(directory);
    rmdir(record);
}

/* Is one of a deadlock's threads without its signal? */
static bool lacks_signal(const struct history *history, const struct finding *finding,
                         const struct event *wait)
{
    bool waits = false, woken = false;
    for (uint32_t i = 0; i < finding->witness_length; i++) {
        const struct event *event = &history->events[finding->witness[i]];
        if (event->op == EVENT_WAIT_BEGIN && event->thread == wait->thread) {
            waits = event->object == wait->object;
            woken = false;
        }
        woken |= (event->op == EVENT_SIGNAL || event->op == EVENT_BROADCAST) &&
                 event->object == wait->object;
    }
    return waits && !woken;
}

/* A signal or a post may come from anybody; a lock is released by who holds it. */
static bool others_may_help(const struct history *history, const struct finding *finding)
{
    for (uint32_t i = 0; i < finding->event_count; i++) {
        const struct event *event = &history->events[finding->events[i].pos];
        if (event->op == EVENT_SEM_WAIT || event->op == EVENT_BARRIER_EXIT ||
            (event->op == EVENT_WAIT_END && lacks_signal(history, finding, event)))
            return true;
    }
    return false;
}

int replay_write_schedule(const char *path, const struct history *history,
                          const struct finding *finding, enum schedule_detail detail,
                          enum schedule_first first, bool *listed, struct error *error)
{
    FILE *file = files_write(path);
    if (!file)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    int result = schedule_write(file, history, finding, detail, first, listed, error);
    if (fclose(file) && !result)
        result = error_set(error, ERROR_INTERNAL, "%s: cannot be written", path);
    return result;
}

int replay_read_schedule(const char *path, const struct history *history,
                         const struct finding *finding, struct watch *watch, struct error *error)
{
    char line[256];
    FILE *file = files_read(path);
    if (!file)
        return error_set(error, ERROR_INPUT, "%s: %s", path, files_reason(errno));
    while (fgets(line, sizeof line, file)) {
        unsigned first;
        watch->steps += strncmp(line, "step ", 5) == 0 || strncmp(line, "access ", 7) == 0;
        watch->targets += strncmp(line, "target ", 7) == 0;
        if (sscanf(line, "first %u", &first) == 1)
            watch->first = first + 1;
    }
    fclose(file);
    if (finding_shape(finding) == FINDING_DEADLOCK) {
        struct finding full = finding_in_full(finding, history);
        watch->others_may_help = others_may_help(history, &full);
        finding_full_free(&full, finding);
    }
    return 0;
}
