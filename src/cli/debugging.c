#include "cli/debugging.h"

#include "base/array.h"
#include "cli/recording.h"
#include "cli/replay_paths.h"
#include "replay/watch.h"
#include "trace/schedule.h"
#include "trace/std_writer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct words ARRAY_OF(const char *);

/* What the gdb command `preplay` shows: the schedule with source lines, and what
 * each thread of the error is about to do. */
static int write_story(const char *path, const struct history *history,
                       const struct finding *finding, struct error *error)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    uint32_t ends = finding->kind == FINDING_ATOMICITY ? 0 : finding->event_count;
    fputs("The schedule so far:\n", file);
    for (uint32_t i = 0; i < finding->witness_length; i++) {
        const struct event *event = &history->events[finding->witness[i]];
        bool last = i + ends >= finding->witness_length;
        if (i + ends == finding->witness_length)
            fputs("Now about to happen:\n", file);
        if (!last && (!op_in(event->op, OPS_SCHEDULED) || event->flags & EVENT_IMPLIED))
            continue;
        fprintf(file, "  %-8s ", trace_name(history->trace, CLASS_THREAD, event->thread));
        std_write_operation(file, history->trace, event);
        fprintf(file, "  %s\n", trace_location(history->trace, event->location));
    }
    fclose(file);
    return 0;
}

/* The runtime stops the process with SIGTRAP when the error is reached. */
static int write_script(const char *path, const char *story, const char *input, struct error *error)
{
    FILE *file = fopen(path, "we");
    if (!file)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    fprintf(file,
            "set pagination off\n"
            "set startup-with-shell off\n"
            "set disable-randomization on\n"
            "set print thread-events off\n"
            "define preplay\n"
            "  shell cat '%s'\n"
            "  thread apply all backtrace 8\n"
            "end\n"
            "document preplay\n"
            "Shows the schedule that led here, and where every thread stands.\n"
            "end\n"
            "run < '%s'\n"
            "echo \\nPreplay: the program stands at the error. The command preplay shows how it "
            "came here.\\n\n",
            story, input);
    return fclose(file) ? error_set(error, ERROR_INTERNAL, "%s: cannot be written", path) : 0;
}

int debugging_run(const struct replay_program *program, const struct history *history,
                  const struct finding *finding, enum schedule_detail detail,
                  const char *const *extra, struct error *error)
{
    struct replay_paths paths;
    struct watch watch = {0};
    struct words words = {0};
    if (program->valgrind && finding->kind != FINDING_DEADLOCK)
        return error_set(error, ERROR_USAGE,
                         "--gdb: a program recorded with --valgrind can be stopped at a deadlock "
                         "only; build it with preplay cc to stand at its races");
    if (replay_paths_make(&paths, history, finding, 0, error) ||
        replay_write_schedule(paths.schedule, history, finding, detail, NULL, NULL, error) ||
        watch_open(&watch, paths.control, true, error))
        return -1;
    watch_close(&watch);
    if (write_story(paths.story, history, finding, error) ||
        write_script(paths.script, paths.story, paths.input, error))
        return -1;
    array_push(&words, "gdb");
    array_push(&words, "-q");
    array_push(&words, "-x");
    array_push(&words, paths.script);
    for (; extra && *extra; extra++)
        array_push(&words, *extra);
    array_push(&words, "--args");
    for (const char *const *word = (const char *const *)program->command; *word; word++)
        array_push(&words, *word);
    array_push(&words, NULL);
    struct recording recording = {
        .directory = paths.record,
        .command = words.items,
        .sync_only = program->sync_only || program->valgrind,
        .schedule = paths.schedule,
        .control = paths.control,
        .working_directory = program->directory,
        .environment = program->environment,
    };
    int result = recording_become(&recording, error);
    array_free(&words);
    return result;
}
