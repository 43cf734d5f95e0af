/* SPDX-License-Identifier: MIT */
#include "replay/debugging.h"

#include "base/array.h"
#include "base/files.h"
#include "base/memory.h"
#include "target/library.h"
#include "target/recording.h"
#include "replay/gdb_commands.h"
#include "replay/replay_paths.h"
#include "replay/watch.h"
#include "trace/schedule.h"
#include "report/text.h"
#include "trace/std_writer.h"
#include "trace/turns.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct words ARRAY_OF(const char *);

static bool is_of_error(const struct finding *finding, const struct event *event,
                        const struct history *history)
{
    for (uint32_t i = 0; i < finding->event_count; i++)
        if (event == &history->events[finding->events[i].pos])
            return true;
    return false;
}

static void write_event(FILE *file, const struct history *history, const struct event *event)
{
    fprintf(file, "  %-8s ", trace_name(history->trace, CLASS_THREAD, event->thread));
    std_write_operation(file, history->trace, event, report_safe_text);
    fprintf(file, "  %s\n", trace_location(history->trace, event->location));
}

/* What comes next in each thread that has begun and not ended: that of the error, or
 * what it did next in the recorded run. */
static void write_next(FILE *file, const struct history *history, const struct finding *finding,
                       uint32_t ends)
{
    uint32_t *done = NEW_ARRAY(uint32_t, history->threads);
    for (uint32_t i = 0; i + ends < finding->witness_length; i++)
        done[history->events[finding->witness[i]].thread]++;
    for (uint32_t thread = 0; thread < history->threads; thread++)
        if (done[thread] && done[thread] < history_thread_length(history, thread))
            write_event(file, history,
                        &history->events[history_pos(history, thread, done[thread])]);
    free(done);
}

/* What the debugger's command `preplay` shows: the schedule with source lines, and what
 * each thread is about to do. */
static int write_story(const char *path, const struct history *history,
                       const struct finding *finding, struct error *error)
{
    FILE *file = files_write(path);
    if (!file)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    uint32_t ends = finding_ends(finding);
    fputs("The schedule so far:\n", file);
    for (uint32_t i = 0; i + ends < finding->witness_length; i++) {
        const struct event *event = &history->events[finding->witness[i]];
        bool window = finding->kind == FINDING_ATOMICITY && is_of_error(finding, event, history);
        if ((op_in(event->op, OPS_SCHEDULED) && !(event->flags & EVENT_IMPLIED)) || window)
            write_event(file, history, event);
    }
    fputs("Now about to happen:\n", file);
    write_next(file, history, finding, ends);
    return fclose(file) ? error_set(error, ERROR_INTERNAL, "%s: cannot be written", path) : 0;
}

static int write_whole_story(const char *path, const struct history *history,
                             const struct finding *finding, struct error *error)
{
    struct finding full = finding_in_full(finding, history);
    int result = write_story(path, history, &full, error);
    finding_full_free(&full, finding);
    return result;
}

/* What our library needs in the program, and not in the debugger: values of its environment. */
struct preload {
    bool front;
    char libraries[2 * LIBRARY_PATH]; /* "": none of ours */
};

/* An editor that speaks to gdb by its machine interface runs the program itself. */
static bool is_for_editor(const char *const *words)
{
    static const char option[] = "--interpreter=mi"; /* mi2, mi3 */
    for (; words && *words; words++)
        if (strncmp(*words, option, strlen(option)) == 0)
            return true;
    return false;
}

static void write_gdb_script(FILE *file, const char *story, const struct preload *preload,
                             bool runs)
{
    fprintf(file, "set pagination off\n%s",
            preload->front ? "set environment PREPLAY_FRONT=1\n" : "");
    if (*preload->libraries)
        fprintf(file, "set environment LD_PRELOAD=%s\n", preload->libraries);
    fprintf(file,
            "set disable-randomization on\n"
            "set print thread-events off\n"
            "define preplay\n"
            "  shell cat '%s'\n"
            "  thread apply all backtrace 16\n"
            "end\n"
            "document preplay\n"
            "Shows the schedule that led here, and where every thread stands.\n"
            "end\n",
            story);
    if (runs)
        fputs("run\n"
              "echo \\nPreplay: the program stands at the error. The command preplay shows how it "
              "came here.\\n\n",
              file);
    /* Last: a gdb without Python stops reading here, and has what stands above. */
    fputs("python\npreplay_story = \"", file);
    for (const char *at = story; *at; at++)
        fprintf(file, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    fprintf(file, "\"\n%send\n", gdb_commands);
}

static void write_lldb_script(FILE *file, const char *story, const struct preload *preload)
{
    if (preload->front)
        fputs("settings set target.env-vars PREPLAY_FRONT=1\n", file);
    if (*preload->libraries)
        fprintf(file, "settings append target.env-vars \"LD_PRELOAD=%s\"\n", preload->libraries);
    fprintf(file,
            "settings set target.disable-aslr true\n"
            "command alias preplay platform shell -h -- cat '%s'\n"
            "process launch\n"
            "thread backtrace all\n",
            story);
}

/* The runtime stops the process with SIGTRAP when the error is reached. */
static int write_script(enum debugger debugger, const char *path, const char *story,
                        const struct preload *preload, bool runs, struct error *error)
{
    FILE *file = files_write(path);
    if (!file)
        return error_set(error, ERROR_INTERNAL, "%s: cannot be written: %s", path, strerror(errno));
    if (debugger == DEBUGGER_LLDB)
        write_lldb_script(file, story, preload);
    else
        write_gdb_script(file, story, preload, runs);
    return fclose(file) ? error_set(error, ERROR_INTERNAL, "%s: cannot be written", path) : 0;
}

static const char *variable(const char *const *environment, const char *name)
{
    size_t length = strlen(name);
    for (; environment && *environment; environment++)
        if (strncmp(*environment, name, length) == 0 && (*environment)[length] == '=')
            return *environment + length + 1;
    return "";
}

static int find_preload(struct preload *preload, const struct replay_program *program,
                        struct error *error)
{
    char library[LIBRARY_PATH];
    bool sync_only = program->sync_only || program->valgrind;
    if (!sync_only && !recording_preloads(program->command[0]))
        return 0;
    const char *old = variable((const char *const *)program->environment, "LD_PRELOAD");
    if (library_directory(library, error))
        return -1;
    preload->front = !sync_only;
    snprintf(preload->libraries, sizeof preload->libraries, "%s/libpreplay%s.so%s%s", library,
             sync_only ? "_sync" : "", *old ? " " : "", old);
    return 0;
}

/* The debugger's words before the program's. */
static void add_debugger(struct words *words, enum debugger debugger, const char *script,
                         const char *const *extra)
{
    static const char *const gdb[] = {"gdb", "-q", "-x"}, *const lldb[] = {"lldb", "-s"};
    bool is_gdb = debugger == DEBUGGER_GDB;
    for (size_t i = 0; i < (is_gdb ? sizeof gdb : sizeof lldb) / sizeof *gdb; i++)
        array_push(words, (is_gdb ? gdb : lldb)[i]);
    array_push(words, script);
    for (; extra && *extra; extra++)
        array_push(words, *extra);
    array_push(words, is_gdb ? "--args" : "--");
}

int debugging_run(enum debugger debugger, const struct replay_program *program,
                  const struct history *history, const struct finding *finding,
                  enum schedule_detail detail, const char *const *extra, struct error *error)
{
    struct replay_paths paths;
    struct watch watch = {0};
    struct words words = {0};
    struct preload preload = {0};
    char path[2 * PATH_MAX];
    if (program->valgrind && finding->kind != FINDING_DEADLOCK)
        return error_set(
            error, ERROR_USAGE,
            "a debugger: a program recorded with --valgrind can be stopped at a deadlock "
            "only; build it with preplay cc to stand at its races");
    if (find_preload(&preload, program, error))
        return -1;
    char id[FINDING_ID_SIZE];
    finding_id(finding, history->trace, id);
    if (replay_paths_make(&paths, history, id, 0, error) ||
        replay_write_schedule(paths.schedule, history, finding, detail, SCHEDULE_ANY, NULL,
                              error) ||
        watch_open(&watch, paths.control, true, error))
        return -1;
    watch_close(&watch);
    if (write_whole_story(paths.story, history, finding, error) ||
        write_script(debugger, paths.script, paths.story, &preload, !is_for_editor(extra), error))
        return -1;
    add_debugger(&words, debugger, paths.script, extra);
    const char *file = replay_program_file(path, sizeof path, program);
    array_push(&words, file ? file : program->command[0]);
    for (const char *const *word = (const char *const *)program->command + 1; *word; word++)
        array_push(&words, *word);
    array_push(&words, NULL);
    struct recording recording = {
        .directory = paths.record,
        .command = words.items,
        .sync_only = program->sync_only || program->valgrind,
        .schedule = paths.schedule,
        .control = paths.control,
        .sandbox = program->sandbox,
        .environment = program->environment,
        .input = paths.input,
        .inputs = paths.inputs,
        .debugged = true,
    };
    int result = recording_become(&recording, error);
    array_free(&words);
    return result;
}
